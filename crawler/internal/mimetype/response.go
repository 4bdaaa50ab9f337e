package mimetype

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// HeaderSize is the number of bytes at the beginning of a body that its type depends on.
const HeaderSize = 1445

// Of returns the type of a response by its header and the beginning of its body (MIME Sniffing,
// section 7).
func Of(h http.Header, body []byte) Type {
	t, ok := Declared(h)
	if !ok {
		t.Essence = sniff(body[:min(len(body), HeaderSize)], !isNoSniff(h))
	}
	return t
}

// Declared returns the type that the header of a response declares. It is not ok if the type is
// missing, invalid or unknown, so that the body decides about it.
func Declared(h http.Header) (Type, bool) {
	t, ok := Extract(h["Content-Type"])
	return t, ok && !t.isUnknown()
}

// Extract returns the type in the values of Content-Type, as Fetch extracts a MIME type: the last
// valid one counts. Without a charset, it takes the charset of the first one before it with the
// same essence.
func Extract(values []string) (t Type, ok bool) {
	if len(values) == 1 {
		if last := lastType.Load(); last != nil && last.value == values[0] {
			return last.Type, last.ok
		}
		defer func() { lastType.Store(&extracted{values[0], t, ok}) }()
	}
	charset := ""
	for _, value := range split(values) {
		next, valid := Parse(value)
		switch {
		case !valid || next.Essence == "*/*":
			continue
		case next.Essence != t.Essence:
			charset = next.Charset()
		case charset != "" && !next.has("charset"):
			next.Parameters = append(next.Parameters, Parameter{"charset", charset})
		}
		t, ok = next, true
	}
	return t, ok
}

// lastType is the type of the last single value: most pages of a crawl have the same.
var lastType atomic.Pointer[extracted]

type extracted struct {
	value string
	Type
	ok bool
}

// split splits the values of a header field at commas that are not quoted, as Fetch gets, decodes
// and splits them.
func split(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	return slices.Collect(headerlist.Elements(decode(strings.Join(values, ", "))))
}

// isNoSniff determines nosniff by Fetch.
func isNoSniff(h http.Header) bool {
	values := split(h["X-Content-Type-Options"])
	return len(values) > 0 && strings.EqualFold(strings.Trim(values[0], " \t"), "nosniff")
}

// sniff identifies an unknown type by the beginning of a body (MIME Sniffing, section 7.1). The
// types that can run scripts are HTML, XML and PDF. The tables are those of
// [http.DetectContentType], which reads 512 bytes, however.
func sniff(head []byte, scriptable bool) string {
	essence := detect(head)
	if text := detect(bytes.TrimLeft(head, "\t\n\f\r ")); text == "text/html" || text == "text/xml" {
		essence = text
	}
	runsScripts := essence == "text/html" || essence == "text/xml" || essence == "application/pdf"
	switch {
	case essence != "text/plain" && (!runsScripts || scriptable):
		return essence
	case !hasMark(head) && bytes.ContainsFunc(head, isBinary):
		return "application/octet-stream"
	}
	return "text/plain"
}

func detect(head []byte) string {
	essence, _, _ := strings.Cut(http.DetectContentType(head), ";") // its charset is a guess
	return essence
}

// hasMark reports whether a text begins with a byte order mark.
func hasMark(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xFE\xFF")) || bytes.HasPrefix(text, []byte("\xFF\xFE")) || bytes.HasPrefix(text, []byte("\xEF\xBB\xBF"))
}

// isBinary reports whether a character is a binary data byte, which no text contains.
func isBinary(r rune) bool {
	return r <= 0x08 || r == 0x0B || 0x0E <= r && r <= 0x1A || 0x1C <= r && r <= 0x1F
}
