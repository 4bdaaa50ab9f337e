// Package jsontext keeps JSON from being obeyed by the terminal that it is shown on.
//
// encoding/json escapes the control characters below U+0020, but not DEL and not those
// from U+0080 to U+009F. Among these is U+009B, with which a terminal begins what it
// begins with ESC and [ as well: a page whose title has it could move the cursor or set
// the title of the window of whoever looks at pages.jsonl. Nor does it escape the marks
// that turn the direction of writing, with which a text looks like another one, as
// "gpj.exe" does behind U+202E. Written as \u009b and \u202e they are the same JSON.
package jsontext

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Tame returns JSON with all control characters and marks of direction escaped. It is
// text itself where there is none.
func Tame(text []byte) []byte {
	var tame []byte // nil: as text so far
	done := 0       // of text
	for i := 0; i < len(text); {
		r, size := wild(text[i:])
		if r != 0 {
			if tame == nil {
				tame = make([]byte, 0, len(text)+len(text)/8+16)
			}
			tame = fmt.Appendf(append(tame, text[done:i]...), `\u%04x`, r)
			done = i + size
		}
		i += size
	}
	if tame == nil {
		return text
	}
	return append(tame, text[done:]...)
}

// The first octets, in UTF-8, of all that is escaped.
const (
	del       = 0x7f
	leadC1    = 0xc2 // of U+0080 to U+00BF
	leadMark  = 0xd8 // of U+0600 to U+063F
	leadMarks = 0xe2 // of U+2000 to U+2FFF
)

// wild returns the character that a text begins with if it is to be escaped, and how many
// octets may be passed over in any case.
func wild(text []byte) (r rune, size int) {
	switch text[0] {
	case del:
		return del, 1
	case leadC1, leadMark, leadMarks:
	default:
		return 0, 1
	}
	r, size = utf8.DecodeRune(text)
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return r, size
	}
	return 0, size
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
