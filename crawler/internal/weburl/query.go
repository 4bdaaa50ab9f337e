package weburl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// queryEncoding returns the encoding of the queries of the references of a document in enc: the
// output encoding of the Encoding standard. It returns nil for UTF-8.
func queryEncoding(enc encoding.Encoding) encoding.Encoding {
	if enc == nil {
		return nil
	}
	switch name, err := htmlindex.Name(enc); {
	case err != nil, name == "utf-8", name == "utf-16le", name == "utf-16be", name == "replacement":
		return nil
	}
	return enc
}

// encodeQuery encodes the query of a reference as the URL standard does ("percent-encode after
// encoding"), except ASCII characters, which the parser escapes. Enc is a queryEncoding.
func encodeQuery(ref string, enc encoding.Encoding) string {
	if enc == nil || isASCII(ref) {
		return ref
	}
	rest, fragment, hasFragment := strings.Cut(ref, "#")
	before, query, _ := strings.Cut(rest, "?")
	if isASCII(query) {
		return ref
	}
	var b strings.Builder
	b.WriteString(before)
	b.WriteByte('?')
	src := []byte(ignored.Replace(query))
	e := enc.NewEncoder()
	var dst [512]byte
	for {
		written, read, err := e.Transform(dst[:], src, true)
		for _, c := range dst[:written] {
			if c >= utf8.RuneSelf || c == '#' { // # would begin the fragment
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		src = src[read:]
		if err == nil {
			break
		}
		if !errors.Is(err, transform.ErrShortDst) { // the encoding lacks the character
			r, size := utf8.DecodeRune(src)
			fmt.Fprintf(&b, "%%26%%23%d%%3B", r)
			src = src[size:]
		}
	}
	if hasFragment {
		b.WriteByte('#')
		b.WriteString(fragment)
	}
	return b.String()
}

// ignored removes the characters that browsers ignore inside a reference.
var ignored = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
