package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Rejected are the skipped URLs.
type Rejected struct {
	Total   int              `json:"total"`
	Reasons []ReasonGroup    `json:"reasons"` // the most frequent first
	Rules   List[RobotsRule] `json:"rules"`   // lines of robots.txt that disallow URLs, the line with the most URLs first

	// Caveats are reasons why the counts are too low, besides lost lines. It is empty if
	// they are complete.
	Caveats []string `json:"caveats"`

	// BlockedStartURLs counts start URLs at addresses that are not allowed. The address belongs
	// to the host, or to a redirect target of its robots.txt.
	BlockedStartURLs int `json:"blocked_start_urls,omitempty"`
}

// A ReasonGroup has the URLs that were skipped for one reason.
type ReasonGroup struct {
	Reason  output.Reason     `json:"reason"`
	Meaning string            `json:"meaning"`
	URLs    List[RejectedURL] `json:"urls"`
}

// A RejectedURL is a skipped URL.
type RejectedURL struct {
	URL     string `json:"url"`
	FoundOn string `json:"found_on,omitempty"`
	Source  string `json:"source"`
	Rule    string `json:"rule,omitempty"`
	Line    int    `json:"line,omitempty"`
	Detail  string `json:"detail,omitempty"`

	RetryAt time.Time `json:"retry_at,omitzero"` // the earliest time to try again
}

// A RobotsRule is a line of a robots.txt with the URLs that it disallows.
type RobotsRule struct {
	RobotsURL string   `json:"robots_url"`
	Line      int      `json:"line"`
	Rule      string   `json:"rule"`
	Group     string   `json:"group"`          // a product token, or *
	Text      string   `json:"text,omitempty"` // the line as written in the file
	URLs      int      `json:"urls"`
	Examples  []string `json:"examples"`
}

// maxExamples limits the URLs that are named for each rule, directive and duplicate.
const maxExamples = 10

// meanings explain each reason.
var meanings = map[output.Reason]string{
	output.Disallowed:        "disallowed by a line of robots.txt",
	output.RobotsUnreachable: "robots.txt could not be fetched until the crawl ended",
	output.Deferred:          "the host allowed no request until the crawl ended",
	output.OutOfScope:        "not on a host of the crawl, or not in its directories",
	output.Excluded:          "excluded by --include or --exclude",
	output.NotAuthorized:     "listed only in a sitemap that is not authorized for its host",
	output.BeforeSince:       "its sitemap says that it has not changed since the date given",
	output.MaxDepth:          "more links away than the crawl's limit",
	output.Nofollow:          "every link to it is nofollow",
	output.Failed:            "no complete response after all retries",
	output.InvalidURL:        "not a URL that can be requested",
	output.TooManyRedirects:  "the last of a chain of redirects that is too long",
	output.DuplicateURL:      "another URL of the same page, by its query parameters",
	output.MaxHostPages:      "its host has as many pages as the crawl's limit",
	output.Trap:              "a spider trap: URLs of its pattern had no new content and led to more of them",
	output.RepeatedSegment:   "a path segment repeats too often",
	output.TooLong:           "more bytes, query parameters or path segments than the crawl's limits",
	output.MaxHosts:          "its host is new, and the crawl has as many hosts as its limit",
	output.MaxSitemapEntries: "a sitemap that was not read: its host's sitemaps list as many pages as the crawl's limit",
	output.ContentType:       "its type is not one of those that the crawl reads",
	output.PaymentRequired:   "the site requires payment (status 402)",
	output.LicenseRequired:   "the site requires a license (status 401)",
	output.Usage:             "the site disallows a purpose of the crawl (--purpose)",
	output.BlockedAddress:    "its host, or its robots.txt redirect, is at an address that is not public and not allowed",
}

// rejections sorts rejected URLs by reason and rule.
type rejections struct {
	robots  *robotsFiles
	rows    int
	result  Rejected
	reasons map[output.Reason]*topRows[RejectedURL]
	rules   map[ruleKey]*topRows[string] // the URLs that each disallows
}

type ruleKey struct {
	robotsURL, group, rule string
	line                   int
}

func newRejections(robots *robotsFiles, rows int) *rejections {
	return &rejections{
		robots: robots, rows: rows, reasons: make(map[output.Reason]*topRows[RejectedURL]),
		rules: make(map[ruleKey]*topRows[string]),
	}
}

func (x *rejections) add(r *output.Rejection) {
	x.result.Total++
	if x.reasons[r.Reason] == nil {
		x.reasons[r.Reason] = newTopRows(x.rows, func(a, b RejectedURL) int {
			return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.FoundOn, b.FoundOn))
		})
	}
	x.reasons[r.Reason].add(RejectedURL{r.URL, r.FoundOn, r.Source, r.Rule, r.Line, clip(r.Detail), r.RetryAt.UTC()})
	switch {
	case r.Reason == output.Disallowed:
		k := ruleKey{r.RobotsURL, r.Group, r.Rule, r.Line}
		if x.rules[k] == nil {
			x.rules[k] = newTopRows(maxExamples, strings.Compare)
		}
		x.rules[k].add(r.URL)
	case r.Reason == output.BlockedAddress && r.Source == "start":
		x.result.BlockedStartURLs++
	}
}

// total is how many URLs were rejected for a reason.
func (x *rejections) total(reason output.Reason) int {
	if urls := x.reasons[reason]; urls != nil {
		return urls.total
	}
	return 0
}

// listRules returns the lines of robots.txt that disallow URLs.
func (x *rejections) listRules() List[RobotsRule] {
	var rules []RobotsRule
	for k, urls := range x.rules {
		rules = append(rules, RobotsRule{RobotsURL: k.robotsURL, Line: k.line, Rule: k.rule, Group: k.group, URLs: urls.total})
	}
	list := listOf(x.rows, rules, func(a, b RobotsRule) int {
		return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.RobotsURL, b.RobotsURL),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Rule, b.Rule))
	})
	texts := make(map[string][]string)
	for i := range list.Rows {
		row := &list.Rows[i]
		row.Examples = x.rules[ruleKey{row.RobotsURL, row.Group, row.Rule, row.Line}].list().Rows
		lines, known := texts[row.RobotsURL]
		if !known {
			lines = x.robots.lines(originOf(row.RobotsURL))
			texts[row.RobotsURL] = lines
		}
		if 0 < row.Line && row.Line <= len(lines) {
			row.Text = secret.RedactText(strings.TrimSpace(lines[row.Line-1]))
		}
	}
	return list
}

func (x *rejections) list() Rejected {
	var groups []ReasonGroup
	for reason, urls := range x.reasons {
		groups = append(groups, ReasonGroup{reason, meanings[reason], urls.list()})
	}
	x.result.Reasons = listOf(maxNames, groups, func(a, b ReasonGroup) int {
		return cmp.Or(cmp.Compare(b.URLs.Total, a.URLs.Total), cmp.Compare(a.Reason, b.Reason))
	}).Rows
	x.result.Rules = x.listRules()
	return x.result
}
