package robotstxt

import "fmt"

// Finding is an oddity of a file. None is an error, since a robots.txt file is
// always parsed (ROB-FMT-20), but most are a sign that its author meant
// something else than a crawler will understand.
type Finding struct {
	Line int    // from 1; 0: the file as a whole
	Kind Kind   // what is odd
	Text string // the part of the line that is meant, as written; may be empty
}

// String returns the finding as a line of text.
func (f Finding) String() string {
	s := f.Kind.Message()
	if f.Line > 0 {
		s = fmt.Sprintf("line %d: %s", f.Line, s)
	}
	if f.Text != "" {
		s += fmt.Sprintf(": %q", f.Text)
	}
	return s
}

// Kind is the sort of a finding: a name that programs can rely on.
type Kind string

// The kinds of findings.
const (
	KindTooLarge        Kind = "too-large"
	KindNotUTF8         Kind = "not-utf8"
	KindBOM             Kind = "byte-order-mark"
	KindHTML            Kind = "html"
	KindNoColon         Kind = "no-colon"
	KindNoField         Kind = "no-field"
	KindBadField        Kind = "bad-field"
	KindMisspelt        Kind = "misspelt-field"
	KindControl         Kind = "control-character"
	KindLongLine        Kind = "long-line"
	KindBadAgent        Kind = "bad-agent"
	KindAgentCut        Kind = "agent-cut"
	KindRuleBeforeGroup Kind = "rule-before-group"
	KindNoSlash         Kind = "no-slash"
	KindSitemapRelative Kind = "relative-sitemap"
	KindSitemapScheme   Kind = "sitemap-scheme"
	KindSitemapTwice    Kind = "duplicate-sitemap"
	KindManyFields      Kind = "too-many-fields"
	KindNoEffect        Kind = "no-effect"
	KindBadValue        Kind = "bad-value"
	KindDelayCapped     Kind = "crawl-delay-capped"
)

// kinds says of each kind which rule of the specification it rests on, and what
// is the matter.
var kinds = map[Kind]struct{ rule, message string }{
	KindTooLarge:        {"ROB-FMT-14", "the file is longer than crawlers have to read, the rest is ignored"},
	KindNotUTF8:         {"ROB-FMT-16", "not UTF-8: the octets are compared as they are"},
	KindBOM:             {"ROB-FMT-06", "a byte order mark inside of the file spoils the line"},
	KindHTML:            {"ROB-FMT-04", "looks like HTML; the lines that are valid count all the same"},
	KindNoColon:         {"ROB-FMT-13", "no colon between field and value"},
	KindNoField:         {"ROB-FMT-13", "no field before the colon"},
	KindBadField:        {"ROB-FMT-03", "not a field"},
	KindMisspelt:        {"ROB-FMT-11", "looks like a misspelt field"},
	KindControl:         {"ROB-FMT-17", "a control character makes the line void"},
	KindLongLine:        {"ROB-FMT-18", "longer than some crawlers read a line"},
	KindBadAgent:        {"ROB-GRP-11", "names no crawler: the group binds nobody"},
	KindAgentCut:        {"ROB-UA-03", "only the letters, - and _ at the beginning name the crawler"},
	KindRuleBeforeGroup: {"ROB-GRP-04", "a rule before the first User-agent line binds nobody"},
	KindNoSlash:         {"ROB-MAT-10", "a path has to begin with / or *"},
	KindSitemapRelative: {"ROB-SMP-07", "a sitemap needs an absolute URL"},
	KindSitemapScheme:   {"ROB-SMP-08", "a sitemap is fetched by http or https"},
	KindSitemapTwice:    {"ROB-SMP-08", "the same sitemap again"},
	KindManyFields:      {"ROB-EXT-07", "more fields without a meaning for crawling than are kept, this one and the rest are ignored"},
	KindNoEffect:        {"ROB-EXT-04", "has no effect in robots.txt"},
	KindBadValue:        {"ROB-EXT-07", "the value cannot be read"},
	KindDelayCapped:     {"ROB-EXT-01", "longer than the longest delay that is kept"},
}

// Message says in a few words what is the matter.
func (k Kind) Message() string { return kinds[k].message }

// Rule returns the id of the rule in the specification that the kind rests on.
func (k Kind) Rule() string { return kinds[k].rule }
