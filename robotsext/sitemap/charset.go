package sitemap

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the body as UTF-8. Its charset is told by the byte order
// mark, by zero bytes next to the first '<', or by the XML declaration.
func (rd *reading) decode(b *bufio.Reader) io.Reader {
	head, _ := b.Peek(len(bom)) // an error will come again, also below
	switch string(head[:min(2, len(head))]) {
	case "\xFE\xFF", "\x00<":
		rd.summary.Charset = "utf-16be"
		return &transcoder{src: b, step: fromUTF16(binary.BigEndian)}
	case "\xFF\xFE", "<\x00":
		rd.summary.Charset = "utf-16le"
		return &transcoder{src: b, step: fromUTF16(binary.LittleEndian)}
	}
	if bytes.Equal(head, bom) {
		rd.summary.Charset = "utf-8" // whatever is declared: a mark is not copied from a template
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
		return &transcoder{src: b, step: fromTable(windows1252)}
	case "iso-8859-15", "iso_8859-15", "latin-9", "latin9":
		return &transcoder{src: b, step: fromTable(iso8859_15)}
	}
	if strings.HasPrefix(name, "utf-16") {
		// The declaration could be read byte by byte, so this is wrong: a
		// program wrote its strings, which say so, as UTF-8.
		rd.report(BadCharset, []byte(name), nil)
		rd.summary.Charset = "utf-8"
		return b
	}
	if rd.opts.CharsetReader != nil {
		r, err := rd.opts.CharsetReader(name, b)
		if err == nil {
			return r
		}
		rd.report(BadCharset, []byte(name), err)
	} else {
		rd.report(BadCharset, []byte(name), nil)
	}
	return &transcoder{src: b, step: fromTable(asciiOnly)}
}

// declaredCharset returns the encoding of the XML declaration, in lower case. Its end is
// looked for as far as the buffer of b reaches, which no Peek goes beyond.
func declaredCharset(b *bufio.Reader) string {
	for n := 64; ; n *= 2 {
		head, err := b.Peek(n)
		decl := bytes.TrimLeft(head, " \t\r\n")
		if len(decl) > 0 && !bytes.HasPrefix(decl, []byte("<?xml")) {
			return ""
		}
		if end := bytes.Index(decl, endPI); end >= 0 {
			for attrs := decl[len("<?xml"):end]; ; {
				name, value, rest, ok := nextAttr(attrs)
				if !ok {
					return ""
				}
				if string(name) == "encoding" {
					return strings.ToLower(string(trim(value)))
				}
				attrs = rest
			}
		}
		if err != nil {
			return ""
		}
	}
}

var bom = []byte("\uFEFF")

// skipBOM drops a byte order mark, once the body is UTF-8.
func (rd *reading) skipBOM() {
	for rd.end-rd.pos < len(bom) && rd.fill() {
	}
	if bytes.HasPrefix(rd.rest(), bom) {
		rd.pos += len(bom)
	}
}

// A transcoder turns another charset into UTF-8 as it is read.
type transcoder struct {
	src io.Reader

	// step appends the UTF-8 of src to dst and returns how much of src
	// that was. What is left is given to it again with more behind it,
	// unless final is set.
	step func(dst, src []byte, final bool) (out []byte, used int)

	in      [4096]byte
	pending int    // bytes at the start of in that step has not used
	out     []byte // UTF-8 to be handed over
	buf     []byte // what out is a part of
	err     error  // of src
}

func (t *transcoder) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		var n int
		n, t.err = t.src.Read(t.in[t.pending:])
		src := t.in[:t.pending+n]
		var used int
		t.buf, used = t.step(t.buf[:0], src, t.err != nil)
		t.out = t.buf
		t.pending = copy(t.in[:], src[used:])
		if n == 0 && t.err == nil {
			return 0, nil
		}
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// fromTable decodes a charset that is ASCII with something in its upper half.
func fromTable(upper func(byte) rune) func(dst, src []byte, final bool) ([]byte, int) {
	return func(dst, src []byte, _ bool) ([]byte, int) {
		for _, c := range src {
			if c < 0x80 {
				dst = append(dst, c)
			} else {
				dst = utf8.AppendRune(dst, upper(c))
			}
		}
		return dst, len(src)
	}
}

// fromUTF16 decodes UTF-16. A half of a pair without the other becomes U+FFFD.
func fromUTF16(order binary.ByteOrder) func(dst, src []byte, final bool) ([]byte, int) {
	return func(dst, src []byte, final bool) ([]byte, int) {
		used := 0
		for len(src)-used >= 2 {
			c, size := rune(order.Uint16(src[used:])), 2
			if utf16.IsSurrogate(c) {
				if len(src)-used < 4 && !final {
					break
				}
				c2 := rune(utf8.RuneError)
				if len(src)-used >= 4 {
					c2 = rune(order.Uint16(src[used+2:]))
				}
				if c = utf16.DecodeRune(c, c2); c != utf8.RuneError {
					size = 4
				}
			}
			dst = utf8.AppendRune(dst, c)
			used += size
		}
		if final && used < len(src) {
			dst = utf8.AppendRune(dst, utf8.RuneError)
			used = len(src)
		}
		return dst, used
	}
}

// asciiOnly stands for a charset that is not known: everything outside ASCII
// is lost, and so are the entries that need it.
func asciiOnly(byte) rune { return utf8.RuneError }

// windows1252 is also what a body declared as ISO-8859-1 is decoded by, as in
// every browser: the two differ in control characters alone.
func windows1252(c byte) rune {
	if c < 0xA0 {
		return windows1252Low[c-0x80]
	}
	return rune(c)
}

var windows1252Low = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

// iso8859_15 is ISO-8859-1 with the euro sign and seven letters.
func iso8859_15(c byte) rune {
	switch c {
	case 0xA4:
		return '€'
	case 0xA6:
		return 'Š'
	case 0xA8:
		return 'š'
	case 0xB4:
		return 'Ž'
	case 0xB8:
		return 'ž'
	case 0xBC:
		return 'Œ'
	case 0xBD:
		return 'œ'
	case 0xBE:
		return 'Ÿ'
	}
	return rune(c)
}
