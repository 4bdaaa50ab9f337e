package sitemap

import "bytes"

// nextAttr returns the first attribute of a tag and the rest. It skips text that is not of
// the form name="value"; ok is false at the end.
func nextAttr(attrs []byte) (name, value, rest []byte, ok bool) {
	for {
		eq := bytes.IndexByte(attrs, '=')
		if eq < 0 {
			return nil, nil, nil, false
		}
		name = lastWord(trim(attrs[:eq]))
		attrs = attrs[eq+1:]
		for len(attrs) > 0 && isSpace(attrs[0]) {
			attrs = attrs[1:]
		}
		if len(attrs) == 0 || attrs[0] != '"' && attrs[0] != '\'' {
			continue
		}
		end := bytes.IndexByte(attrs[1:], attrs[0])
		if end < 0 {
			return nil, nil, nil, false
		}
		return name, attrs[1 : 1+end], attrs[end+2:], true
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
