package sitemap

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decode returns the body as UTF-8. It detects the charset by the byte order mark, by zero
// bytes next to the first '<', or by the XML declaration.
func (rd *reading) decode(b *bufio.Reader) io.Reader {
	head, _ := b.Peek(len(bom)) // later reads return the error again
	switch string(head[:min(2, len(head))]) {
	case "\xFE\xFF", "\x00<":
		rd.summary.Charset = "utf-16be"
		return transcode(b, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	case "\xFF\xFE", "<\x00":
		rd.summary.Charset = "utf-16le"
		return transcode(b, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	}
	if bytes.Equal(head, bom) {
		rd.summary.Charset = "utf-8" // more reliable than the declaration, which may be copied from a template
		return b
	}
	name := declaredCharset(b)
	rd.summary.Charset = name
	switch name {
	case "":
		rd.summary.Charset = "utf-8"
		return b
	case "utf-8", "utf8", "us-ascii", "ascii":
		return b
	case "iso-8859-1", "iso_8859-1", "latin1", "windows-1252", "cp1252":
		// As in browsers; the first three differ from windows-1252 only in control characters.
		return transcode(b, singleByte(charmap.Windows1252))
	case "iso-8859-15", "iso_8859-15", "latin-9", "latin9":
		return transcode(b, singleByte(charmap.ISO8859_15))
	}
	if strings.HasPrefix(name, "utf-16") {
		// The declaration was readable byte by byte, so it is wrong: a program wrote
		// a string that declares UTF-16 as UTF-8.
		rd.report(BadCharset, []byte(name), nil)
		rd.summary.Charset = "utf-8"
		return b
	}
	rd.report(BadCharset, []byte(name), nil)
	return transcode(b, byteDecoder(asciiOnly))
}

// declaredCharset returns the encoding of the XML declaration, in lower case. The declaration
// must end within the buffer of b.
func declaredCharset(b *bufio.Reader) string {
	for n := 64; ; n *= 2 {
		head, err := b.Peek(n)
		decl := bytes.TrimLeft(head, " \t\r\n")
		if len(decl) > 0 && !bytes.HasPrefix(decl, []byte("<?xml")) {
			return ""
		}
		if end := bytes.Index(decl, endPI); end >= 0 {
			for name, value := range attributes(decl[len("<?xml"):end]) {
				if string(name) == "encoding" {
					return strings.ToLower(string(trim(value)))
				}
			}
			return ""
		}
		if err != nil {
			return ""
		}
	}
}

var bom = []byte("\uFEFF")

// skipBOM removes a byte order mark from a body in UTF-8.
func (rd *reading) skipBOM() {
	for rd.end-rd.pos < len(bom) && rd.fill() {
	}
	if bytes.HasPrefix(rd.rest(), bom) {
		rd.pos += len(bom)
		rd.lineStart = int64(len(bom))
		rd.mark()
	}
}

// transcode decodes b.
func transcode(b *bufio.Reader, decoder transform.Transformer) io.Reader {
	return transform.NewReader(steady{b}, decoder)
}

// steady always returns bytes or an error. transform would loop forever on a reader that
// returns neither; bufio stops.
type steady struct{ b *bufio.Reader }

func (r steady) Read(p []byte) (int, error) {
	if _, err := r.b.Peek(1); err != nil {
		return 0, err
	}
	return r.b.Read(p)
}

// byteDecoder decodes a charset of single bytes: it returns the character of a byte.
type byteDecoder func(b byte) rune

// Reset implements [transform.Transformer].
func (d byteDecoder) Reset() {}

// Transform implements [transform.Transformer].
func (d byteDecoder) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for _, b := range src {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], d(b))
		nSrc++
	}
	return nDst, nSrc, nil
}

// singleByte decodes a charset of single bytes. A byte without a character becomes the control
// character with its number, as in browsers.
func singleByte(m *charmap.Charmap) byteDecoder {
	return func(b byte) rune {
		if known := m.DecodeByte(b); known != utf8.RuneError {
			return known
		}
		return rune(b)
	}
}

// asciiOnly decodes an unknown charset: it drops everything outside ASCII, and entries
// that need it are invalid.
func asciiOnly(b byte) rune {
	if b >= utf8.RuneSelf {
		return utf8.RuneError
	}
	return rune(b)
}
