package sitemap

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Errors of [Writer.Write] after which the Writer remains usable.
var (
	// ErrFull says that an entry exceeds the limits of the protocol, MaxEntries and MaxBytes.
	// Write it into the next file.
	ErrFull = errors.New("sitemap: the file is full")

	// ErrInvalidEntry says that an entry has an invalid location or date.
	ErrInvalidEntry = errors.New("sitemap: invalid entry")
)

var errYear = errors.New("the year is not between 1900 and 9999")

// Writer writes one sitemap, or one sitemap index, as XML.
type Writer struct {
	w       io.Writer
	element string // of an entry
	head    string // beginning of the file; empty after it is written
	end     string
	entries int
	bytes   int   // of the whole file, its end included
	err     error // of the first write to w that failed
}

// NewWriter returns a Writer that writes to w in the format [URLSet] or [Index]. It panics
// if format is any other value.
//
// The Writer writes each entry at once. The caller buffers, compresses and
// closes w.
func NewWriter(w io.Writer, format Format) *Writer {
	element := map[Format]string{URLSet: "url", Index: "sitemap"}[format]
	if element == "" {
		panic(fmt.Sprintf("sitemap: cannot write the format %q", format))
	}
	head := fmt.Sprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s xmlns=%q>\n", format, sitemapNamespace)
	end := fmt.Sprintf("</%s>\n", format)
	return &Writer{w: w, element: element, head: head, end: end, bytes: len(head) + len(end)}
}

const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// Write adds an entry. It writes loc in the form of [Entry.Loc], but with every character escaped
// that a URL must not have (ROB-SMP-26), and lastMod in UTC: as a date if it is midnight, else
// with the time to the second. It omits a zero lastMod.
//
// The error matches [ErrFull] or [ErrInvalidEntry] (errors.Is) if nothing was written.
func (w *Writer) Write(loc string, lastMod time.Time) error {
	valid, err := location([]byte(loc))
	valid = escape(valid)
	if err == nil && len(valid) >= maxLoc { // encoding made it longer
		err = errLong
	}
	if err != nil {
		return fmt.Errorf("%w %q: %w", ErrInvalidEntry, cut([]byte(loc)), err)
	}
	date := ""
	if !lastMod.IsZero() {
		if year := lastMod.UTC().Year(); year < 1900 || year > 9999 {
			return fmt.Errorf("%w %q: %w", ErrInvalidEntry, loc, errYear)
		}
		date = "<lastmod>" + dateText(lastMod.UTC()) + "</lastmod>"
	}
	text := w.head + "  <" + w.element + "><loc>" + escapeText.Replace(valid) + "</loc>" + date + "</" + w.element + ">\n"
	added := len(text) - len(w.head)
	if w.entries == MaxEntries || w.bytes+added > MaxBytes {
		return ErrFull
	}
	w.entries, w.bytes, w.head = w.entries+1, w.bytes+added, ""
	return w.write(text)
}

// Close writes the end of the file. A file without entries is invalid, so it is an error if
// there are none.
func (w *Writer) Close() error {
	if w.entries == 0 && w.err == nil {
		return errors.New("sitemap: a sitemap needs an entry")
	}
	return w.write(w.end)
}

// write writes text, unless an earlier write failed.
func (w *Writer) write(text string) error {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, text)
	}
	return w.err
}

// escapeText escapes the five characters that the protocol requires to be escaped.
var escapeText = strings.NewReplacer("&", "&amp;", "'", "&apos;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")

// dateText writes a time as W3C Datetime.
func dateText(t time.Time) string {
	if t = t.Truncate(time.Second); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}
