package warc

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// escapeURI writes a URL as RFC 3986 wants it: what has no place in one is percent-encoded,
// so that no URL can end the line it stands in. What is encoded already, or only looks so,
// stays as it is.
func escapeURI(url string) string {
	const digits = "0123456789ABCDEF"
	escaped := make([]byte, 0, len(url))
	for i := range len(url) {
		c := url[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			escaped = append(escaped, '%', digits[c>>4], digits[c&15])
		} else {
			escaped = append(escaped, c)
		}
	}
	return string(escaped)
}

// oneLine makes text that may come from anywhere the value of a field: without
// control characters, and valid UTF-8.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(text)
}

// emptyLine ends the head of an HTTP message, with the line before it.
var emptyLine = []byte("\r\n\r\n")

// httpHead returns the head of an HTTP message so that its first empty line is its
// end: there a reader takes the payload to begin.
func httpHead(head []byte) []byte {
	if i := bytes.Index(head, emptyLine); i >= 0 {
		return head[:i+len(emptyLine)]
	}
	return slices.Concat(bytes.TrimRight(head, "\r\n"), emptyLine)
}
