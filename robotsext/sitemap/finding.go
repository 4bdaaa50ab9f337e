package sitemap

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
)

// Kind is the class of a Finding. It is an error, so that
// errors.Is(err, sitemap.TooManyEntries) asks what ended a reading.
type Kind string

// Error returns the kind in words.
func (k Kind) Error() string { return string(k) }

// Kinds that end the reading. The entries before them stand.
const (
	Unreadable     Kind = "the body could not be read to its end" // Err is the reader's own error
	BadGzip        Kind = "the gzip data is damaged"
	Empty          Kind = "the body is empty"
	NotASitemap    Kind = "neither sitemap XML, nor a feed, nor a list of URLs" // Text is what was found
	BadXML         Kind = "the XML is not well formed"
	Truncated      Kind = "the XML ends before its root element does"
	TooManyEntries Kind = "more entries than one file may hold"           // Options.MaxEntries
	TooManyBytes   Kind = "more bytes than one file may hold"             // Options.MaxBytes
	RatioTooHigh   Kind = "unpacks to far more than a list of URLs would" // Options.MaxRatio
	NestedTooDeep  Kind = "elements are nested deeper than in any sitemap"
	TagTooLong     Kind = "a tag is longer than in any sitemap"
)

// Kinds that leave the reading to go on.
const (
	BadLoc          Kind = "location is not usable, entry skipped"
	NoLoc           Kind = "entry without a location skipped"
	BadLastMod      Kind = "date of last change is not readable, left unset"
	BadChangeFreq   Kind = "change frequency is not one of the seven words, left unset"
	BadPriority     Kind = "priority is not a number from 0 to 1, left at the default"
	BadExtension    Kind = "value of an extension element is not usable, left out"
	BadReference    Kind = "entity or character reference is not known, kept as written"
	BadCharset      Kind = "declared charset is not the one used, or is not known and anything outside ASCII is lost"
	Doctype         Kind = "document type declaration skipped, its entities do not exist"
	Duplicate       Kind = "element given twice, the first counts"
	UnknownElement  Kind = "element that the protocol does not have here, skipped"
	TextTooLong     Kind = "text is longer than any such value, left out"
	TooManyItems    Kind = "more extension data than one entry may hold, the rest left out"
	TrailingContent Kind = "something follows the end of the document, not read"
	FindingsDropped Kind = "too many findings, further ones are not reported"
)

// Kinds that a walk over several files adds, such as robotsext.Robots.Sitemaps.
const (
	OutOfScope Kind = "the sitemap has no right to list this, left out" // by its Policy
	Loop       Kind = "the index lists itself, or one that led to it"   // so it is not read again
)

// Finding is one thing that is wrong with a sitemap, or that a reader of it
// should know. As an error it is what ended the reading; errors.Is finds its
// Kind, and the cause in Err.
type Finding struct {
	Kind   Kind
	Line   int    // counted from 1; 0 before the first byte was read
	Offset int64  // bytes before it, in the file as unpacked and decoded to UTF-8
	Text   string // the offending text, cut short; may be empty
	Err    error  // what is behind it; may be nil
}

// Error puts position, kind, text and cause on one line.
func (f *Finding) Error() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	b.WriteString(string(f.Kind))
	if f.Text != "" {
		fmt.Fprintf(&b, ": %q", f.Text)
	}
	if f.Err != nil {
		fmt.Fprintf(&b, ": %v", f.Err)
	}
	return b.String()
}

// Unwrap lets errors.Is and errors.As see the kind and the cause.
func (f *Finding) Unwrap() []error {
	if f.Err == nil {
		return []error{f.Kind}
	}
	return []error{f.Kind, f.Err}
}

// maxFindings bounds what one file can make its reader's log grow by.
const maxFindings = 1000

// maxFindingText bounds Finding.Text, in bytes.
const maxFindingText = 100

// cut shortens text for a finding.
func cut(b []byte) string {
	text := string(b[:min(len(b), maxFindingText+1)])
	return strings.ToValidUTF8(clip.Text(text, maxFindingText), "\uFFFD")
}
