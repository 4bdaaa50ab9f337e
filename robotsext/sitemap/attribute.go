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
			before, after, ok := bytes.Cut(attrs, []byte("="))
			if !ok {
				return
			}
			attrs = after
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
func lastWord(b []byte) []byte { return b[bytes.LastIndexAny(b, " \t\r\n")+1:] }
