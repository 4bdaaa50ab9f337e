// Package findingkind has the kinds of findings that the parser reports and the linter
// explains.
package findingkind

// The kinds. Scripts rely on them.
const (
	TooLarge        = "too-large"
	NotUTF8         = "not-utf8"
	BOM             = "byte-order-mark"
	HTML            = "html"
	NoColon         = "no-colon"
	NoField         = "no-field"
	BadField        = "bad-field"
	Misspelt        = "misspelt-field"
	Control         = "control-character"
	LongLine        = "long-line"
	BadAgent        = "bad-agent"
	AgentCut        = "agent-cut"
	RuleBeforeGroup = "rule-before-group"
	NoSlash         = "no-slash"
	SitemapRelative = "relative-sitemap"
	SitemapScheme   = "sitemap-scheme"
	SitemapTwice    = "duplicate-sitemap"
	ManyFields      = "too-many-fields"
	NoEffect        = "no-effect"
	BadValue        = "bad-value"
	DelayCapped     = "crawl-delay-capped"
)
