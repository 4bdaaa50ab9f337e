package report

import "slices"

// A Rule is a kind of finding. FINDINGS.md documents all rules.
type Rule struct {
	ID       string   `json:"id"` // such as broken-link; programs rely on it
	Severity Severity `json:"severity"`
	Topic    string   `json:"topic"` // links, external, assets, pages, redirects, canonical, hreflang, sitemaps or robots
	Title    string   `json:"title"`
	Fix      string   `json:"fix"` // one sentence: what to do
}

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // visitors or search engines miss something
	SeverityWarning Severity = "warning" // probably not intended
	SeverityNotice  Severity = "notice"  // may be intended
)

// The other topics of rules.
const (
	topicLinks     = "links"
	topicExternal  = "external"
	topicAssets    = "assets"
	topicCanonical = "canonical"
	topicHreflang  = "hreflang"
	topicRedirects = "redirects"
)

// The rules that are highlights of their own.
const (
	brokenLink        = "broken-link"
	robotsUnreachable = "robots-unreachable"
)

// A rule is a row of the table of rules. A new rule needs nothing else but its function and a test;
// "go test -update" writes FINDINGS.md and the report that the tests expect.
type rule struct {
	Rule

	meaning string // for FINDINGS.md: what the rows are
	needs   needs
	when    func(*model, *ruleList) bool // whether the crawl has checked it; nil if every crawl has
	find    func(*model, *ruleList) finder
}

// rules are all rules in the order of the report.
var rules = slices.Concat(linkRules, pageRules, redirectRules, canonicalRules, hreflangRules, sitemapRules, robotsRules)
