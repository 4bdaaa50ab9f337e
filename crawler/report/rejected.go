package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Rejected is everything that the crawl rejected.
type Rejected struct {
	Total   int           `json:"total"`
	Reasons []ReasonGroup `json:"reasons"` // the most frequent first
	Rules   List[Rule]    `json:"rules"`   // lines of robots.txt, the one that disallows most URLs first

	// Inconclusive says why more URLs were rejected than are counted, besides what files have
	// lost; empty: all are counted.
	Inconclusive []string `json:"inconclusive"`

	// RefusedStarts is how many start URLs are at an address that is not allowed, or
	// have a robots.txt that redirects to one.
	RefusedStarts int `json:"refused_starts,omitempty"`
}

// A ReasonGroup is what was rejected for one reason.
type ReasonGroup struct {
	Reason  output.Reason     `json:"reason"`
	Meaning string            `json:"meaning"`
	URLs    List[RejectedURL] `json:"urls"`
}

// A RejectedURL is a URL that was rejected.
type RejectedURL struct {
	URL    string `json:"url"`
	Via    string `json:"via,omitempty"`
	Source string `json:"source"`
	Rule   string `json:"rule,omitempty"`
	Line   int    `json:"line,omitempty"`
	Detail string `json:"detail,omitempty"`

	RetryAt time.Time `json:"retry_at,omitzero"` // the earliest time to try again
}

// A Rule is a line of a robots.txt with the URLs that it disallows.
type Rule struct {
	RobotsURL string   `json:"robots_url"`
	Line      int      `json:"line"`
	Rule      string   `json:"rule"`
	Group     string   `json:"group"`          // a product token, or *
	Text      string   `json:"text,omitempty"` // the line as the file has it
	URLs      int      `json:"urls"`
	Examples  []string `json:"examples"`
}

// maxExamples limits the URLs that are named for each rule, directive and duplicate.
const maxExamples = 10

// meanings explain each reason.
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

// rejections sorts rejected URLs by reason and rule.
type rejections struct {
	robots  *robotsFiles
	rows    int
	result  Rejected
	reasons map[output.Reason]*firsts[RejectedURL]
	rules   map[ruleKey]int             // how many URLs each disallows
	urls    map[ruleKey]*firsts[string] // these URLs, for the rules in the list
}

type ruleKey struct {
	robotsURL, group, rule string
	line                   int
}

func newRejections(robots *robotsFiles, rows int) *rejections {
	return &rejections{
		robots: robots, rows: rows, reasons: make(map[output.Reason]*firsts[RejectedURL]),
		rules: make(map[ruleKey]int), urls: make(map[ruleKey]*firsts[string]),
	}
}

func (r *Rule) key() ruleKey { return ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line} }

func (x *rejections) learn(r *output.Rejection) {
	x.result.Total++
	if x.reasons[r.Reason] == nil {
		x.reasons[r.Reason] = newFirsts(x.rows, func(a, b RejectedURL) int {
			return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Via, b.Via))
		})
	}
	x.reasons[r.Reason].add(RejectedURL{r.URL, r.Via, r.Source, r.Rule, r.Line, clip(r.Detail), r.RetryAt.UTC()})
	switch {
	case r.Reason == output.Disallowed:
		x.rules[ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line}]++
	case r.Reason == output.Address && r.Source == "start":
		x.result.RefusedStarts++
	}
}

// total is how many URLs were rejected for a reason.
func (x *rejections) total(reason output.Reason) int {
	if urls := x.reasons[reason]; urls != nil {
		return urls.total
	}
	return 0
}

// choose picks the rules that will be in the list, and finds their lines.
func (x *rejections) choose() {
	var rules []Rule
	for k, urls := range x.rules {
		rules = append(rules, Rule{RobotsURL: k.robotsURL, Line: k.line, Rule: k.rule, Group: k.group, URLs: urls})
	}
	x.result.Rules = listOf(x.rows, rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.RobotsURL, b.RobotsURL),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Rule, b.Rule))
	})
	texts := make(map[string][]string)
	for i := range x.result.Rules.Rows {
		row := &x.result.Rules.Rows[i]
		x.urls[row.key()] = newFirsts(maxExamples, strings.Compare)
		lines, known := texts[row.RobotsURL]
		if !known {
			lines = x.robots.lines(originOf(row.RobotsURL))
			texts[row.RobotsURL] = lines
		}
		if 0 < row.Line && row.Line <= len(lines) {
			row.Text = secret.Users(strings.TrimSpace(lines[row.Line-1]))
		}
	}
}

// name finds examples of the URLs that rules disallow.
func (x *rejections) name(r *output.Rejection) {
	if urls := x.urls[ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line}]; urls != nil && r.Reason == output.Disallowed {
		urls.add(r.URL)
	}
}

func (x *rejections) list() Rejected {
	var groups []ReasonGroup
	for reason, urls := range x.reasons {
		groups = append(groups, ReasonGroup{reason, meanings[reason], urls.list()})
	}
	x.result.Reasons = listOf(maxNames, groups, func(a, b ReasonGroup) int {
		return cmp.Or(cmp.Compare(b.URLs.Total, a.URLs.Total), cmp.Compare(a.Reason, b.Reason))
	}).Rows
	for i := range x.result.Rules.Rows {
		row := &x.result.Rules.Rows[i]
		row.Examples = x.urls[row.key()].list().Rows
	}
	return x.result
}
