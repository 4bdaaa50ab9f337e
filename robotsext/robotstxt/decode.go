package robotstxt

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// decode returns the text of a body. A body that is not UTF-8 is taken as it is,
// since rules are compared octet by octet (ROB-FMT-16), unless
// Options.Transcode asks for a guess.
func (p *parser) decode(body []byte) string {
	if utf8.Valid(body) {
		return string(body)
	}
	if !p.file.opts.Transcode {
		p.note(0, KindNotUTF8, "")
		return string(body)
	}
	p.note(0, KindTranscoded, "")
	if len(body) >= 2 {
		switch binary.BigEndian.Uint16(body) {
		case 0xFEFF:
			return decodeUTF16(body[2:], binary.BigEndian)
		case 0xFFFE:
			return decodeUTF16(body[2:], binary.LittleEndian)
		}
	}
	latin1 := make([]rune, len(body))
	for i, b := range body {
		latin1[i] = rune(b)
	}
	return string(latin1)
}

func decodeUTF16(body []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	return string(utf16.Decode(units))
}
