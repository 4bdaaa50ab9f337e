package weburl

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/width"
)

// legacy is an encoding other than UTF-8, in which browsers send the queries of a document.
type legacy struct {
	enc  encoding.Encoding
	name string // of the Encoding standard
}

// legacyOf returns the encoding of the queries of a document in enc: its output encoding in the
// Encoding standard. It returns nil for UTF-8.
func legacyOf(enc encoding.Encoding) *legacy {
	if enc == nil {
		return nil
	}
	name, err := htmlindex.Name(enc)
	switch {
	case err != nil, name == "utf-8", name == "utf-16le", name == "utf-16be", name == "replacement":
		return nil
	}
	return &legacy{enc, name}
}

// encodeQuery encodes the characters of the query of a reference that are not ASCII, as the URL
// standard does ("percent-encode after encoding"). The parser escapes ASCII characters.
func (l *legacy) encodeQuery(ref string) string {
	rest, fragment, hasFragment := strings.Cut(ref, "#")
	before, query, _ := strings.Cut(rest, "?")
	if isASCII(query) {
		return ref
	}
	var b strings.Builder
	b.WriteString(before)
	b.WriteByte('?')
	e := l.enc.NewEncoder()
	for _, r := range ignored.Replace(query) {
		octets, ok := l.encode(e, r)
		escapeOctets(&b, bytes.ReplaceAll(octets, []byte("#"), []byte("%23"))) // it is no fragment
		if !ok {
			fmt.Fprintf(&b, "%%26%%23%d%%3B", r)
		}
	}
	var end [8]byte
	n, _, _ := e.Transform(end[:], nil, true) // ISO-2022-JP returns to ASCII
	escapeOctets(&b, end[:n])
	if hasFragment {
		b.WriteByte('#')
		b.WriteString(fragment)
	}
	return b.String()
}

// escapeOctets writes octets and escapes those that are not ASCII.
func escapeOctets[T string | []byte](b *strings.Builder, octets T) {
	for i := range len(octets) {
		if c := octets[i]; c >= utf8.RuneSelf {
			fmt.Fprintf(b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
}

// encode encodes a character with e, and keeps the state of e. It reports false if the encoding
// lacks the character. It corrects what x/text does otherwise than the Encoding standard, except
// for private characters and 19 rare ones of gbk and gb18030, and for ¥ and ‾ of iso-2022-jp.
func (l *legacy) encode(e *encoding.Encoder, r rune) ([]byte, bool) {
	switch l.name {
	case "shift_jis", "euc-jp", "iso-2022-jp":
		switch {
		case r == '\u2212':
			r = '\uff0d'
		case l.name == "iso-2022-jp":
			r = fullWidth(r)
		case r == '¥':
			return []byte{'\\'}, true
		case r == '‾':
			return []byte{'~'}, true
		}
	}
	var octets [16]byte
	n, _, err := e.Transform(octets[:], utf8.AppendRune(nil, r), false)
	switch {
	case err != nil:
		if l.hasControl(r) {
			return []byte{byte(r)}, true
		}
		return octets[:n], false // with the escape sequence before a numeric reference
	case l.name == "euc-jp" && octets[0] == 0x8f, // JIS X 0212
		l.name == "big5" && utf8.RuneSelf <= octets[0] && octets[0] < 0xa1: // Hong Kong's additions
		return nil, false // read, but not written
	case l.name == "shift_jis" && (octets[0] == 0xed || octets[0] == 0xee):
		if code, ok := ibmExtensions()[r]; ok {
			return []byte(code), true
		}
	case l.name == "big5" && r >= utf8.RuneSelf && !strings.ContainsRune(big5LastCodes, r):
		if code, ok := big5Codes()[r]; ok {
			return []byte(code), true
		}
	}
	return octets[:n], true
}

// hasControl reports whether a C1 control character is the octet of its number, which x/text
// leaves undefined in encodings of one octet a character.
func (l *legacy) hasControl(r rune) bool {
	if r < 0x80 || r > 0x9f {
		return false
	}
	switch l.name {
	case "gbk", "gb18030", "big5", "euc-kr", "euc-jp", "iso-2022-jp":
		return false
	case "shift_jis":
		return r == 0x80
	}
	read, err := l.enc.NewDecoder().Bytes([]byte{byte(r)})
	return err == nil && string(read) == string(utf8.RuneError)
}

// fullWidth returns the full-width form of a half-width katakana.
func fullWidth(r rune) rune {
	switch {
	case r < '｡' || r > 'ﾟ':
		return r
	case r >= 'ﾞ': // Unicode has combining forms for the voiced sound marks
		return r - 'ﾞ' + '゛'
	}
	return width.LookupRune(r).Wide()
}

// Characters that an encoding has twice. For them x/text writes the last code.
var (
	ibmExtensions = firstCodes(japanese.ShiftJIS, 0xfa, 0xfc)
	big5Codes     = firstCodes(traditionalchinese.Big5, 0xa1, 0xfe)
)

// big5LastCodes are the characters that have their last code in Big5 by the Encoding standard.
const big5LastCodes = "═╞╡╪十卅"

// firstCodes returns a function that returns the first code of each character with codes that begin
// with an octet from first to last. It leaves out the characters that x/text writes so.
func firstCodes(enc encoding.Encoding, first, last byte) func() map[rune]string {
	return sync.OnceValue(func() map[rune]string {
		codes, known := map[rune]string{}, map[rune]bool{}
		d, e := enc.NewDecoder(), enc.NewEncoder()
		for lead := int(first); lead <= int(last); lead++ {
			for trail := 0x40; trail < 0xff; trail++ {
				code := string([]byte{byte(lead), byte(trail)})
				read, err := d.String(code)
				r, size := utf8.DecodeRuneInString(read)
				if err != nil || size != len(read) || known[r] {
					continue
				}
				known[r] = true
				if written, err := e.String(read); err == nil && written != code {
					codes[r] = code
				}
			}
		}
		return codes
	})
}

// ignored removes the characters that browsers ignore inside a reference.
var ignored = strings.NewReplacer("\t", "", "\n", "", "\r", "")

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
