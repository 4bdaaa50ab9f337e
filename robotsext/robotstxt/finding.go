package robotstxt

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/internal/oddity"
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
	KindHTML            Kind = oddity.HTML
	KindNoSlash         Kind = oddity.NoSlash
	KindSitemapRelative Kind = oddity.SitemapRelative
	KindSitemapScheme   Kind = oddity.SitemapScheme
	KindSitemapTwice    Kind = oddity.SitemapTwice
)

// kinds holds the id of the specification's rule and the message of each kind.
var kinds = map[Kind]struct{ rule, message string }{
	oddity.TooLarge:        {"ROB-FMT-14", "the file is longer than crawlers have to read, the rest is ignored"},
	oddity.NotUTF8:         {"ROB-FMT-16", "not UTF-8: the octets are compared as they are"},
	oddity.BOM:             {"ROB-FMT-06", "a byte order mark inside of the file spoils the line"},
	oddity.HTML:            {"ROB-FMT-04", "looks like HTML; the lines that are valid count all the same"},
	oddity.NoColon:         {"ROB-FMT-13", "no colon between field and value"},
	oddity.NoField:         {"ROB-FMT-13", "no field before the colon"},
	oddity.BadField:        {"ROB-FMT-03", "not a field"},
	oddity.Misspelt:        {"ROB-FMT-11", "looks like a misspelt field"},
	oddity.Control:         {"ROB-FMT-17", "a control character makes the line void"},
	oddity.LongLine:        {"ROB-FMT-18", "longer than some crawlers read a line"},
	oddity.BadAgent:        {"ROB-GRP-11", "names no crawler: the group binds nobody"},
	oddity.AgentCut:        {"ROB-UA-03", "only the letters, - and _ at the beginning name the crawler"},
	oddity.RuleBeforeGroup: {"ROB-GRP-04", "a rule before the first User-agent line binds nobody"},
	oddity.NoSlash:         {"ROB-MAT-10", "a path has to begin with / or *"},
	oddity.SitemapRelative: {"ROB-SMP-07", "a sitemap needs an absolute URL"},
	oddity.SitemapScheme:   {"ROB-SMP-08", "a sitemap is fetched by http or https"},
	oddity.SitemapTwice:    {"ROB-SMP-08", "the same sitemap again"},
	oddity.ManyFields:      {"ROB-EXT-07", "more fields without a meaning for crawling than are kept, this one and the rest are ignored"},
	oddity.NoEffect:        {"ROB-EXT-04", "has no effect in robots.txt"},
	oddity.BadValue:        {"ROB-EXT-07", "the value cannot be read"},
	oddity.DelayCapped:     {"ROB-EXT-01", "longer than the longest delay that is kept"},
}

// Message describes the mistake in a few words.
func (k Kind) Message() string { return kinds[k].message }

// Rule returns the id of the specification's rule that the kind is based on.
func (k Kind) Rule() string { return kinds[k].rule }
