// Package charset determines and decodes the character encoding of documents by the standards HTML
// and Encoding.
//
// The first of these decides about an HTML document:
//
//   - a byte order mark;
//   - the parameter charset of its Content-Type;
//   - an XML declaration in UTF-16;
//   - a <meta> in its head, or in its first 1,024 bytes;
//   - its XML declaration;
//   - its bytes, where it declares nothing: see [Determine].
//
// An XML document has no <meta>, and is UTF-8 if it declares nothing. Unknown labels declare nothing.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// An Encoding is a character encoding of the Encoding standard.
type Encoding struct {
	encoding.Encoding        // not for decoding documents: use Decode
	name              string // by the standard, in lower case
}

// The encodings that this package chooses itself.
var (
	UTF8        = mustLookup("utf-8")
	utf16LE     = mustLookup("utf-16le")
	utf16BE     = mustLookup("utf-16be")
	windows1252 = mustLookup("windows-1252")
)

func mustLookup(label string) Encoding {
	e, ok := Lookup(label)
	if !ok {
		panic("charset: no encoding " + label)
	}
	return e
}

// Lookup returns the encoding of a label of the standard, such as latin1 for windows-1252. White
// space around the label and its case do not matter.
func Lookup(label string) (e Encoding, ok bool) {
	label = strings.Trim(label, space)
	// htmlindex trims and folds characters outside ASCII too.
	if strings.IndexFunc(label, func(r rune) bool { return r <= ' ' || r >= utf8.RuneSelf }) >= 0 {
		return Encoding{}, false
	}
	if e.Encoding, _ = htmlindex.Get(label); e.Encoding == nil {
		return Encoding{}, false
	}
	e.name, _ = htmlindex.Name(e.Encoding) // all encodings of the index have one
	return e, true
}

// space is the ASCII white space of the HTML standard.
const space = "\t\n\f\r "

// Name returns the name of the encoding by the standard, in lower case, such as shift_jis.
func (e Encoding) Name() string { return e.name }

// Output returns the encoding of queries in a document of this encoding. It is UTF-8 for the
// encodings that standards only decode.
func (e Encoding) Output() Encoding {
	if e == utf16LE || e == utf16BE || e.name == "replacement" {
		return UTF8
	}
	return e
}

// marks are the byte order marks.
var marks = []struct {
	bytes    string
	encoding Encoding
}{{"\xEF\xBB\xBF", UTF8}, {"\xFE\xFF", utf16BE}, {"\xFF\xFE", utf16LE}}

// Determine returns the encoding of a document. The label is the charset of its Content-Type, or ""
// if there is none.
//
// An HTML document that declares nothing is UTF-8 if it is valid UTF-8 with characters outside
// ASCII. The first 1,024 bytes suffice: a damaged character further down does not matter. Otherwise
// it is windows-1252, as in browsers.
func Determine(body []byte, label string, xml bool) Encoding {
	for _, mark := range marks {
		if bytes.HasPrefix(body, []byte(mark.bytes)) {
			return mark.encoding
		}
	}
	if label == "utf-8" { // nearly always
		return UTF8
	}
	if e, ok := Lookup(label); ok {
		return e
	}
	if e, ok := utf16Declaration(body); ok {
		return e
	}
	if !xml {
		if e, ok := metaEncoding(body); ok {
			return e
		}
	}
	if e, ok := xmlEncoding(body); ok {
		return e
	}
	if xml || isUTF8(body) {
		return UTF8
	}
	return windows1252
}

// isUTF8 reports whether an undeclared text is UTF-8.
func isUTF8(body []byte) bool {
	for _, text := range [][]byte{body, body[:min(len(body), prescanned)]} {
		if text = withoutCut(text); utf8.Valid(text) && !isASCII(text) {
			return true
		}
	}
	return false
}

// withoutCut returns a text without the beginning of a character at its end, which a limit cut.
func withoutCut(text []byte) []byte {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Decode returns a document in UTF-8 and without its byte order mark. What is invalid becomes U+FFFD.
// The result is the body itself if that is valid UTF-8.
func (e Encoding) Decode(body []byte) []byte {
	for _, mark := range marks {
		if e == mark.encoding {
			body = bytes.TrimPrefix(body, []byte(mark.bytes))
		}
	}
	decoder := e.Encoding
	switch {
	case e == UTF8 && utf8.Valid(body), len(body) == 0:
		return body
	case e.name == "gbk": // the standard decodes both alike
		decoder = simplifiedchinese.GB18030
	case e.name == "iso-8859-8-i": // differs in the direction of text
		decoder = charmap.ISO8859_8
	}
	if table, ok := decoder.(*charmap.Charmap); ok {
		return decodeBytes(table, body)
	}
	text, err := decoder.NewDecoder().Bytes(body)
	if err != nil { // decoders of the standard have no errors
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return text
}

// decodeBytes decodes a text of one byte a character. The tables of the charmap package lack the C1
// controls of the standard.
func decodeBytes(table *charmap.Charmap, body []byte) []byte {
	text := make([]byte, 0, len(body)+len(body)/2)
	for _, c := range body {
		r := table.DecodeByte(c)
		if r == utf8.RuneError && c < 0xA0 {
			r = rune(c)
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}
