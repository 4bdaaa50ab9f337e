package warc

import (
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
