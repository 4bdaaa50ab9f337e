package robotstxt

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/internal/findingkind"
)

// Finding is a likely mistake in a robots.txt file. Parsing never fails because of
// one, but a crawler may understand the line in another way than its author meant it.
type Finding struct {
	Line int    `json:"line"` // from 1; 0: the file as a whole
	Kind Kind   `json:"kind"` // what is wrong
	Text string `json:"text"` // the part of the line concerned, as written; may be empty
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

// Kind is the kind of a finding: a code that programs can rely on, such as
// "misspelt-field". Finding.String and Kind.Message describe it.
type Kind string

// Kinds that concern one rule, one sitemap or the whole file.
const (
	KindHTML            Kind = findingkind.HTML
	KindNoSlash         Kind = findingkind.NoSlash
	KindSitemapRelative Kind = findingkind.SitemapRelative
	KindSitemapScheme   Kind = findingkind.SitemapScheme
	KindSitemapTwice    Kind = findingkind.SitemapTwice
)

// kinds holds the id of the specification's rule and the message of each kind.
var kinds = map[Kind]struct{ rule, message string }{
	findingkind.TooLarge:        {"ROB-FMT-14", "the file exceeds the size limit, the rest is ignored"},
	findingkind.NotUTF8:         {"ROB-FMT-16", "not UTF-8, bytes are compared unchanged"},
	findingkind.BOM:             {"ROB-FMT-06", "a byte order mark inside the file makes the line invalid"},
	findingkind.HTML:            {"ROB-FMT-04", "looks like HTML, valid lines still count"},
	findingkind.NoColon:         {"ROB-FMT-13", "no colon between field and value"},
	findingkind.NoField:         {"ROB-FMT-13", "no field before the colon"},
	findingkind.BadField:        {"ROB-FMT-03", "not a field"},
	findingkind.Misspelt:        {"ROB-FMT-11", "looks like a misspelt field"},
	findingkind.Control:         {"ROB-FMT-17", "a control character makes the line invalid"},
	findingkind.LongLine:        {"ROB-FMT-18", "the line is longer than some crawlers read"},
	findingkind.BadAgent:        {"ROB-GRP-11", "not a valid crawler name, the group applies to no crawler"},
	findingkind.AgentCut:        {"ROB-UA-03", "only the leading letters, - and _ count as the crawler's name"},
	findingkind.RuleBeforeGroup: {"ROB-GRP-04", "a rule before the first User-agent line applies to no crawler"},
	findingkind.NoSlash:         {"ROB-MAT-10", "a path must begin with / or *"},
	findingkind.SitemapRelative: {"ROB-SMP-07", "a sitemap needs an absolute URL"},
	findingkind.SitemapScheme:   {"ROB-SMP-08", "a sitemap needs an http or https URL"},
	findingkind.SitemapTwice:    {"ROB-SMP-08", "duplicate sitemap"},
	findingkind.ManyFields:      {"ROB-EXT-07", "too many other fields, this one and all later ones are ignored"},
	findingkind.NoEffect:        {"ROB-EXT-04", "has no effect in robots.txt"},
	findingkind.BadValue:        {"ROB-EXT-07", "invalid value"},
	findingkind.DelayCapped:     {"ROB-EXT-01", "the delay exceeds the maximum"},
}

// Message describes the mistake in a few words.
func (k Kind) Message() string { return kinds[k].message }

// Rule returns the id of the specification's rule that the kind is based on.
func (k Kind) Rule() string { return kinds[k].rule }
