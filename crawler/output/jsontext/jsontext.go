// Package jsontext keeps JSON from being obeyed by the terminal that it is shown on.
//
// encoding/json escapes the control characters below U+0020, but not DEL and not those
// from U+0080 to U+009F. Among these is U+009B, with which a terminal begins what it
// begins with ESC and [ as well: a page whose title has it could move the cursor or set
// the title of the window of whoever looks at pages.jsonl. Written as \u009b it is the
// same JSON.
package jsontext

import (
	"bytes"
	"fmt"
	"io"
)

// Tame returns JSON with all control characters escaped. It is text itself where there
// is none.
func Tame(text []byte) []byte {
	if bytes.IndexByte(text, del) < 0 && !hasHigh(text) {
		return text
	}
	tame := make([]byte, 0, len(text)+len(text)/8+16)
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == del:
			tame = fmt.Appendf(tame, `\u%04x`, del)
		case isHigh(text[i:]):
			i++
			tame = fmt.Appendf(tame, `\u%04x`, text[i])
		default:
			tame = append(tame, text[i])
		}
	}
	return tame
}

const (
	del  = 0x7f
	lead = 0xc2 // the first octet in UTF-8 of U+0080 to U+00BF, whose second is the same as their number
)

// hasHigh tells whether there is a control character above DEL in a text.
func hasHigh(text []byte) bool {
	for {
		i := bytes.IndexByte(text, lead)
		if i < 0 {
			return false
		}
		if text = text[i:]; isHigh(text) {
			return true
		}
		text = text[1:]
	}
}

// isHigh tells whether a text begins with one.
func isHigh(text []byte) bool {
	return len(text) > 1 && text[0] == lead && text[1] >= 0x80 && text[1] <= 0x9f
}

// NewWriter returns a writer that hands on to w what is Tame of each Write, of which each
// has to be of whole characters.
func NewWriter(w io.Writer) io.Writer { return writer{w} }

type writer struct{ w io.Writer }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if n, err := w.w.Write(Tame(text)); err != nil {
		return min(n, len(text)), err
	}
	return len(text), nil
}
