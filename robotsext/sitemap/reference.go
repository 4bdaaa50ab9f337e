package sitemap

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxReference is longer than any reference that can be replaced:
// "&#x0010FFFF;" with room for some leading zeros.
const maxReference = 32

// appendText appends text to dst and replaces its references: the five entities of XML and
// numeric ones. Others need a DTD and stay unchanged, like an '&' alone; bad is the first of
// them.
func appendText(dst, text []byte) (out, bad []byte) {
	for {
		n := bytes.IndexByte(text, '&')
		if n < 0 {
			return append(dst, text...), bad
		}
		dst = append(dst, text[:n]...)
		text = text[n:]
		c, size := reference(text)
		if size == 0 {
			if bad == nil {
				bad = text[:min(len(text), maxReference)]
				if next := bytes.IndexByte(bad[1:], '&'); next >= 0 {
					bad = bad[:1+next]
				}
			}
			dst = append(dst, '&')
			text = text[1:]
			continue
		}
		dst = utf8.AppendRune(dst, c)
		text = text[size:]
	}
}

// reference returns the character of the reference at the start of text, and the length of
// the reference, or 0 if there is none.
func reference(text []byte) (c rune, size int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	name := text[1:end]
	switch string(name) {
	case "amp":
		return '&', end + 1
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	}
	if name[0] != '#' {
		return 0, 0
	}
	base, digits := 10, name[1:]
	if len(digits) > 0 && digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), end + 1
}
