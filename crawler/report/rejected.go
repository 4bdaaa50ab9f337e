package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Rejected is all that was left alone.
type Rejected struct {
	Total   int           `json:"total"`
	Reasons []ReasonGroup `json:"reasons"` // the most frequent first
	Rules   List[Rule]    `json:"rules"`   // lines of robots.txt, the one that kept most away first

	// RefusedStarts is how many start URLs are at an address that is not allowed, or
	// have a robots.txt that redirects to one.
	RefusedStarts int `json:"refused_starts,omitempty"`
}

// A ReasonGroup is what was left alone for one reason.
type ReasonGroup struct {
	Reason  output.Reason     `json:"reason"`
	Meaning string            `json:"meaning"`
	URLs    List[RejectedURL] `json:"urls"`
}

// A RejectedURL is a URL that was left alone.
type RejectedURL struct {
	URL    string `json:"url"`
	Via    string `json:"via,omitempty"`
	Source string `json:"source"`
	Rule   string `json:"rule,omitempty"`
	Line   int    `json:"line,omitempty"`
	Detail string `json:"detail,omitempty"`

	RetryAt time.Time `json:"retry_at,omitzero"` // the earliest time to try again
}

// A Rule is a line of a robots.txt with what it kept away.
type Rule struct {
	RobotsURL string   `json:"robots_url"`
	Line      int      `json:"line"`
	Rule      string   `json:"rule"`
	Group     string   `json:"group"`          // whose: a product token, or *
	Text      string   `json:"text,omitempty"` // the line as it stands in the file
	URLs      int      `json:"urls"`
	Examples  []string `json:"examples"`
}

// maxExamples is how many URLs are named of those that one rule keeps away.
const maxExamples = 10

// meanings say for a person what a reason means.
var meanings = map[output.Reason]string{
	output.Disallowed:   "a line of robots.txt disallows it",
	output.Later:        "its robots.txt could not be read, or its host allowed no request, until the crawl ended",
	output.OutOfScope:   "it is not on one of the crawl's hosts",
	output.NotEntitled:  "only a sitemap lists it that may not speak for its host",
	output.Unchanged:    "its sitemap says that it has not changed since the date asked for",
	output.TooDeep:      "it is more links away than the crawl went",
	output.Nofollow:     "it was found only where the page asks not to follow",
	output.Failed:       "no answer came, however often it was asked for",
	output.Invalid:      "it is no URL that can be requested",
	output.TooManyHops:  "it is the end of too long a chain of redirects",
	output.Alias:        "it stands for another URL, by its parameters",
	output.HostFull:     "its host has had as many pages as the crawl takes",
	output.Trap:         "the pages of URLs like it had nothing new, and led to ever more",
	output.Repeating:    "a part of its path stands there again and again",
	output.TooLong:      "it has more bytes or parameters than URLs have",
	output.TooManyHosts: "its host is new, and the crawl has had as many as it takes",
	output.SitemapFull:  "it is a sitemap, and those of its host have listed as many pages as the crawl takes",
	output.Address:      "its host, or where its robots.txt redirects to, is at an address that is not public and not allowed",
}

// refusals sorts what was left alone by reason and rule.
type refusals struct {
	robots  *robotsFiles
	rows    int
	total   int
	starts  int // refused for their address
	reasons map[output.Reason]*firsts[RejectedURL]
	rules   map[ruleKey]int
	chosen  List[Rule]
	urls    map[ruleKey]*firsts[string] // of those in chosen, which they kept away
}

type ruleKey struct {
	robotsURL, group, rule string
	line                   int
}

func newRefusals(robots *robotsFiles, rows int) *refusals {
	return &refusals{robots: robots, rows: rows, reasons: make(map[output.Reason]*firsts[RejectedURL]), rules: make(map[ruleKey]int)}
}

func keyOfRule(r *output.Rejection) ruleKey { return ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line} }

func (r *Rule) key() ruleKey { return ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line} }

func (x *refusals) learn(r *output.Rejection) {
	x.total++
	group := x.reasons[r.Reason]
	if group == nil {
		group = new(newFirsts(x.rows, func(a, b RejectedURL) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Via, b.Via)) }))
		x.reasons[r.Reason] = group
	}
	group.add(RejectedURL{r.URL, r.Via, r.Source, r.Rule, r.Line, clip(r.Detail), r.RetryAt.UTC()})
	switch {
	case r.Reason == output.Disallowed:
		x.rules[keyOfRule(r)]++
	case r.Reason == output.Address && r.Source == "start":
		x.starts++
	}
}

// choose picks the rules that will be in the list, and finds their lines.
func (x *refusals) choose() {
	most := newFirsts(x.rows, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.RobotsURL, b.RobotsURL),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Group, b.Group))
	})
	for k, urls := range x.rules {
		most.add(Rule{RobotsURL: k.robotsURL, Line: k.line, Rule: k.rule, Group: k.group, URLs: urls})
	}
	x.chosen = most.list()
	x.urls = make(map[ruleKey]*firsts[string])
	texts := make(map[string][]string)
	for i := range x.chosen.Rows {
		row := &x.chosen.Rows[i]
		x.urls[row.key()] = new(newFirsts(maxExamples, strings.Compare))
		lines, ok := texts[row.RobotsURL]
		if !ok {
			lines = x.robots.lines(originOf(row.RobotsURL))
			texts[row.RobotsURL] = lines
		}
		if 0 < row.Line && row.Line <= len(lines) {
			row.Text = secret.Users(strings.TrimSpace(lines[row.Line-1]))
		}
	}
}

// name finds examples of what the rules kept away.
func (x *refusals) name(r *output.Rejection) {
	if r.Reason != output.Disallowed {
		return
	}
	if urls := x.urls[keyOfRule(r)]; urls != nil {
		urls.add(r.URL)
	}
}

func (x *refusals) list() Rejected {
	groups := newFirsts(maxNames, func(a, b ReasonGroup) int {
		return cmp.Or(cmp.Compare(b.URLs.Total, a.URLs.Total), cmp.Compare(a.Reason, b.Reason))
	})
	for reason, urls := range x.reasons {
		groups.add(ReasonGroup{reason, meanings[reason], urls.list()})
	}
	for i := range x.chosen.Rows {
		row := &x.chosen.Rows[i]
		row.Examples = x.urls[row.key()].list().Rows
	}
	return Rejected{Total: x.total, Reasons: groups.list().Rows, Rules: x.chosen, RefusedStarts: x.starts}
}

// lines returns the lines of the robots.txt of an origin as it was last; none when it
// is not there. They end as robots.txt has it (ROB-FMT-02).
func (r *robotsFiles) lines(origin string) []string {
	body, ok := r.text(origin)
	if !ok {
		return nil
	}
	text := strings.TrimPrefix(string(body), "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = clip(line)
	}
	return lines
}
