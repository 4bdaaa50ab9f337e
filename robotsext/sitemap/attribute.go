package sitemap

import (
	"bytes"
	"iter"
)

// attributes yields the names and values of a tag's attributes. It skips text that is not of
// the form name="value".
func attributes(attrs []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for {
			eq := bytes.IndexByte(attrs, '=')
			if eq < 0 {
				return
			}
			before := attrs[:eq]
			attrs = attrs[eq+1:]
			for len(attrs) > 0 && isSpace(attrs[0]) {
				attrs = attrs[1:]
			}
			if len(attrs) == 0 || attrs[0] != '"' && attrs[0] != '\'' {
				continue
			}
			end := bytes.IndexByte(attrs[1:], attrs[0])
			if end < 0 || !yield(lastWord(trim(before)), attrs[1:1+end]) {
				return
			}
			attrs = attrs[end+2:]
		}
	}
}

// lastWord returns the text after the last white space.
func lastWord(b []byte) []byte {
	n := len(b)
	for n > 0 && !isSpace(b[n-1]) {
		n--
	}
	return b[n:]
}
