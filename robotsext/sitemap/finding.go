package sitemap

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
)

// Kind is the kind of a Finding. It is an error: errors.Is(err,
// sitemap.TooManyEntries) tests why reading stopped.
type Kind string

// Error returns the description of the kind.
func (k Kind) Error() string { return string(k) }

// Kinds that stop reading. The entries before them are valid.
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

// Kinds that do not stop reading.
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

// Kinds that robotsext.Robots.Sitemaps adds when it reads several files.
const (
	OutOfScope Kind = "the sitemap has no right to list this, left out" // by its Policy
	Loop       Kind = "the index lists itself, or one that led to it"   // so it is not read again
)

// Finding is a mistake in a sitemap, or a note for its reader. A Finding returned as
// an error is the reason why reading stopped; errors.Is finds its Kind, and the cause
// in Err.
type Finding struct {
	Kind   Kind
	Line   int    // from 1; 0 before the first byte was read
	Offset int64  // in bytes of the file, decompressed and decoded to UTF-8
	Text   string // the text concerned, shortened; may be empty
	Err    error  // the cause; may be nil
}

// Error returns line, kind, text and cause on one line.
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

// maxFindings limits the findings of one file that are reported.
const maxFindings = 1000

// maxFindingText limits Finding.Text, in bytes.
const maxFindingText = 100

// cut shortens a text for a finding.
func cut(b []byte) string {
	text := string(b[:min(len(b), maxFindingText+1)])
	return strings.ToValidUTF8(clip.Text(text, maxFindingText), "\uFFFD")
}
