package robotstxt

import (
	"fmt"
)

// Finding is a likely mistake in a robots.txt file. Parsing never fails because of
// one, but crawlers may not understand the line as its author intended.
type Finding struct {
	Line int    `json:"line"` // from 1; 0 for the whole file
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
// "misspelled-field". Finding.String and Kind.Message describe it.
type Kind string

// The kinds of findings.
const (
	KindTooLarge        Kind = "too-large"          // the file exceeds Options.MaxBytes
	KindNotUTF8         Kind = "not-utf8"           // a line that is not valid UTF-8
	KindBOM             Kind = "byte-order-mark"    // a byte order mark inside the file
	KindHTML            Kind = "html"               // the file looks like an HTML page
	KindNoColon         Kind = "no-colon"           // no colon between field and value
	KindNoField         Kind = "no-field"           // no field before the colon
	KindBadField        Kind = "bad-field"          // invalid characters in the name of a field
	KindMisspelled      Kind = "misspelled-field"   // such as Disalow
	KindControl         Kind = "control-character"  // a control character, which makes the line invalid
	KindLongLine        Kind = "long-line"          // a line longer than some crawlers read
	KindBadAgent        Kind = "bad-agent"          // a User-agent that is not a crawler name
	KindAgentCut        Kind = "agent-cut"          // a User-agent name that is cut at an invalid character
	KindRuleBeforeGroup Kind = "rule-before-group"  // a rule before the first User-agent line
	KindNoSlash         Kind = "no-slash"           // a path that begins with neither / nor *
	KindSitemapRelative Kind = "relative-sitemap"   // a sitemap without an absolute URL
	KindSitemapScheme   Kind = "sitemap-scheme"     // a sitemap with a URL that is neither http nor https
	KindSitemapTwice    Kind = "duplicate-sitemap"  // a sitemap that is already listed
	KindManyFields      Kind = "too-many-fields"    // more extensions than Options.MaxExtensions
	KindPageDirective   Kind = "page-directive"     // a directive of pages, not of robots.txt: Noindex or Nofollow
	KindBadValue        Kind = "bad-value"          // an invalid value of an extension
	KindDelayCapped     Kind = "crawl-delay-capped" // a Crawl-delay greater than Options.MaxCrawlDelay
)

// kinds holds the id of the requirement and the message of each kind.
var kinds = map[Kind]struct{ specID, message string }{
	KindTooLarge:        {"ROB-FMT-14", "the file exceeds the size limit, the rest is ignored"},
	KindNotUTF8:         {"ROB-FMT-16", "not UTF-8, bytes are compared unchanged"},
	KindBOM:             {"ROB-FMT-06", "a byte order mark inside the file makes the line invalid"},
	KindHTML:            {"ROB-FMT-04", "looks like HTML, valid lines still count"},
	KindNoColon:         {"ROB-FMT-13", "no colon between field and value"},
	KindNoField:         {"ROB-FMT-13", "no field before the colon"},
	KindBadField:        {"ROB-FMT-03", "not a field"},
	KindMisspelled:      {"ROB-FMT-11", "looks like a misspelled field"},
	KindControl:         {"ROB-FMT-17", "a control character makes the line invalid"},
	KindLongLine:        {"ROB-FMT-18", "the line is longer than some crawlers read"},
	KindBadAgent:        {"ROB-GRP-11", "not a valid crawler name, crawlers that follow RFC 9309 ignore it"},
	KindAgentCut:        {"ROB-UA-03", "for RFC 9309 only the leading letters, - and _ are the crawler's name"},
	KindRuleBeforeGroup: {"ROB-GRP-04", "a rule before the first User-agent line applies to no crawler"},
	KindNoSlash:         {"ROB-MAT-10", "a path must begin with / or *"},
	KindSitemapRelative: {"ROB-SMP-07", "a sitemap needs an absolute URL"},
	KindSitemapScheme:   {"ROB-SMP-08", "a sitemap needs an http or https URL"},
	KindSitemapTwice:    {"ROB-SMP-08", "duplicate sitemap"},
	KindManyFields:      {"ROB-EXT-07", "too many other fields, this one and all later ones are ignored"},
	KindPageDirective:   {"ROB-EXT-04", "has no effect in robots.txt"},
	KindBadValue:        {"ROB-EXT-07", "invalid value"},
	KindDelayCapped:     {"ROB-EXT-01", "the delay exceeds the maximum"},
}

// Message describes the mistake in a few words.
func (k Kind) Message() string { return kinds[k].message }

// SpecID returns the id of the requirement in testdata/spec.md that the kind is about,
// such as ROB-FMT-11.
func (k Kind) SpecID() string { return kinds[k].specID }
