package sitemap

import (
	"cmp"
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
	Unreadable     Kind = "could not read the whole body" // Err is the reader's own error
	BadGzip        Kind = "invalid gzip data"
	Empty          Kind = "the body is empty"
	NotASitemap    Kind = "neither sitemap XML, a feed, nor a list of URLs" // Text is what was found
	BadXML         Kind = "the XML is not well-formed"
	Truncated      Kind = "the XML ends before the end tag of its root element"
	TooManyEntries Kind = "too many entries in one file"                    // Options.MaxEntries
	TooManyBytes   Kind = "the file is too large"                           // Options.MaxBytes
	RatioTooHigh   Kind = "the compression ratio is too high for a sitemap" // Options.MaxRatio
	NestedTooDeep  Kind = "elements are nested too deeply"
	TagTooLong     Kind = "a tag is too long"
)

// Kinds that do not stop reading.
const (
	BadLoc          Kind = "invalid location, entry skipped"
	NoLoc           Kind = "missing location, entry skipped"
	BadLastMod      Kind = "invalid date of last change, ignored"
	BadChangeFreq   Kind = "change frequency is not one of the seven values, ignored"
	BadPriority     Kind = "priority is not a number from 0 to 1, default used"
	BadExtension    Kind = "invalid value of an extension element, ignored"
	BadReference    Kind = "unknown entity or character reference, kept as written"
	BadCharset      Kind = "wrong or unknown charset, characters outside ASCII may be lost"
	Doctype         Kind = "document type declaration ignored, with its entities"
	Duplicate       Kind = "duplicate element, the first one counts"
	UnknownElement  Kind = "unknown element at this place, skipped"
	TextTooLong     Kind = "text is too long, ignored"
	TooManyItems    Kind = "too much extension data in one entry, the rest is ignored"
	TrailingContent Kind = "content after the end of the document, ignored"
	Markup          Kind = "an element inside a URL, skipped" // in a loc or link with its entry
	NoEntries       Kind = "the file lists nothing that could be read"
	FindingsDropped Kind = "too many findings, the rest is not reported"
)

// Kinds of the strict check, Options.Strict. They do not affect the entries.
const (
	Malformed    Kind = "an XML parser rejects the file" // its first fault; Err says what it is
	NoNamespace  Kind = "an element has no namespace"
	BadNamespace Kind = "the namespace is wrong"
	WrongCase    Kind = "the name of an element is not in lower case"
	StrayText    Kind = "text outside of a value"
	NotEscaped   Kind = "the location has characters that a URL must escape"
	BadLanguage  Kind = "hreflang is missing or not of the form language-SCRIPT-REGION"
)

// Kinds that robotsext.Robots.Sitemaps adds when it reads several files.
const (
	NotAuthorized Kind = "the sitemap is not authorized to list this URL, entry skipped" // by its Policy
	Loop          Kind = "the index lists itself or an index that lists it"              // so it is not read again
)

// Finding is a mistake in a sitemap, or a note for its reader. A Finding returned as
// an error is the reason why reading stopped; errors.Is finds its Kind, and the cause
// in Err.
type Finding struct {
	Kind   Kind
	Line   int    // from 1; 0 before the first byte was read
	Column int    // in bytes of the line, decoded to UTF-8, from 1; 0 if Line is 0
	Offset int64  // bytes read before the finding, decompressed and decoded to UTF-8
	Text   string // the text concerned, shortened; may be empty
	Err    error  // the cause; may be nil
	Fix    string // what to write instead; may be empty
}

func (f *Finding) setPlace(at place) { f.Line, f.Column, f.Offset = at.line, at.column, at.offset }

// details holds the id of the requirement of each kind, and the fix of those that always have the same one.
var details = map[Kind]struct{ specID, fix string }{
	BadGzip:         {"ROB-SMP-11", "compress the file again"},
	Empty:           {"ROB-SMP-11", "write an entry, or remove the file"},
	NotASitemap:     {"ROB-SMP-11", "write a urlset or a sitemapindex, or one URL per line"},
	TooManyEntries:  {"ROB-SMP-12", "split the file, and list its parts in a sitemapindex"},
	TooManyBytes:    {"ROB-SMP-12", "split the file, and list its parts in a sitemapindex"},
	RatioTooHigh:    {"ROB-SMP-12", ""},
	BadReference:    {"ROB-SMP-13", "write &amp; for &, or the character itself for an entity of HTML"},
	BadCharset:      {"ROB-SMP-13", "write the file in UTF-8, and declare it"},
	Doctype:         {"ROB-SMP-13", "remove the document type declaration"},
	BadExtension:    {"ROB-SMP-14", "write a value as the documentation of the extension says"},
	UnknownElement:  {"ROB-SMP-14", "remove it, or move it to its place"},
	BadLoc:          {"ROB-SMP-15", "write an absolute URL of fewer than 2,048 characters"},
	NoLoc:           {"ROB-SMP-15", "write its URL, or remove the entry"},
	BadLastMod:      {"ROB-SMP-16", "write a date such as 2024-11-23 or 2024-11-23T18:00:15+00:00, in RSS such as Sat, 23 Nov 2024 18:00:15 +0000"},
	BadChangeFreq:   {"ROB-SMP-17", "write always, hourly, daily, weekly, monthly, yearly or never"},
	BadPriority:     {"ROB-SMP-17", "write a number from 0.0 to 1.0"},
	NotAuthorized:   {"ROB-SMP-18", ""},
	Loop:            {"ROB-SMP-20", ""},
	BadXML:          {"ROB-SMP-22", ""},
	Truncated:       {"ROB-SMP-22", "write the rest of the file, and its end tags"},
	NestedTooDeep:   {"ROB-SMP-22", ""},
	TagTooLong:      {"ROB-SMP-22", ""},
	Duplicate:       {"ROB-SMP-26", "remove it"},
	TrailingContent: {"ROB-SMP-26", "remove everything after the end tag of the root element"},
	NoEntries:       {"ROB-SMP-26", "write an entry, or remove the file"},
	Malformed:       {"ROB-SMP-26", ""},
	NoNamespace:     {"ROB-SMP-26", ""},
	BadNamespace:    {"ROB-SMP-26", ""},
	WrongCase:       {"ROB-SMP-26", ""},
	StrayText:       {"ROB-SMP-26", "remove it"},
	NotEscaped:      {"ROB-SMP-26", "write %20 for a space, and the escape of any other such character"},
	BadLanguage:     {"ROB-SMP-26", `write a language such as "de", "en-GB" or "zh-Hant-TW", or "x-default"`},
	Markup:          {"ROB-SMP-27", "write the URL as text only"},
	TextTooLong:     {"", "shorten it"},
	TooManyItems:    {"", "remove some of them"},
}

// SpecID returns the id of the requirement in ../robotstxt/testdata/spec.md that the kind is
// about, such as ROB-SMP-15, or "".
func (k Kind) SpecID() string { return details[k].specID }

// addFix sets the fix, if there is none.
func (f *Finding) addFix() { f.Fix = cmp.Or(f.Fix, details[f.Kind].fix) }

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
