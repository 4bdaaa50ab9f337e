package robotstxt

import "fmt"

// Finding is an oddity of a file. None is an error: a robots.txt file is
// always parsed (ROB-FMT-20).
type Finding struct {
	Line int    // from 1; 0: the file as a whole
	Kind Kind   // what is odd
	Text string // the part of the line that is meant, may be empty
}

// Kind names the sort of a finding.
type Kind string

// The kinds of findings.
const (
	KindTooLarge        Kind = "too-large"         // ROB-FMT-14
	KindTranscoded      Kind = "transcoded"        // ROB-FMT-16
	KindNotUTF8         Kind = "not-utf8"          // ROB-FMT-16
	KindNoColon         Kind = "no-colon"          // ROB-FMT-13
	KindNoField         Kind = "no-field"          // ROB-FMT-13
	KindBadField        Kind = "bad-field"         // ROB-FMT-03
	KindMisspelt        Kind = "misspelt-field"    // ROB-FMT-11
	KindControl         Kind = "control-character" // ROB-FMT-17
	KindBadAgent        Kind = "bad-agent"         // ROB-GRP-11
	KindAgentCut        Kind = "agent-cut"         // ROB-UA-03
	KindRuleBeforeGroup Kind = "rule-before-group" // ROB-GRP-04
	KindNoSlash         Kind = "no-slash"          // ROB-MAT-10
	KindSitemapRelative Kind = "relative-sitemap"  // ROB-SMP-07
	KindSitemapScheme   Kind = "sitemap-scheme"    // ROB-SMP-08
	KindSitemapTwice    Kind = "duplicate-sitemap" // ROB-SMP-08
)

// String returns the finding as a line of text.
func (f Finding) String() string {
	return fmt.Sprintf("line %d: %s: %q", f.Line, f.Kind, f.Text)
}
