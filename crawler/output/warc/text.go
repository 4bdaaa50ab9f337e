package warc

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// escapeURI percent-encodes what no browser has in a URL: control characters, white space, others than ASCII, and
// the delimiters of RFC 3986, appendix C. Others stay as a player will request them, also {, | and }.
func escapeURI(url string) string {
	const digits = "0123456789ABCDEF"
	escaped := make([]byte, 0, len(url))
	for i := range len(url) {
		c := url[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>`, c) >= 0 {
			escaped = append(escaped, '%', digits[c>>4], digits[c&15])
		} else {
			escaped = append(escaped, c)
		}
	}
	return string(escaped)
}

// oneLine makes untrusted text the value of a field: valid UTF-8 without control characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.TrimSpace(text)
}

// httpHead returns the header of an HTTP message up to its first empty line, where readers expect the payload
// to start. It adds the line if there is none.
func httpHead(head []byte) []byte {
	head = slices.Concat(head, []byte("\r\n\r\n"))
	end := 0
	for line := range bytes.Lines(head) {
		if end += len(line); len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
	}
	return head[:end]
}

// isHeadRequest reports whether an HTTP request has the method HEAD. Its response has no line in the index: a replay would
// show an empty page.
func isHeadRequest(head []byte) bool { return bytes.HasPrefix(head, []byte("HEAD ")) }
