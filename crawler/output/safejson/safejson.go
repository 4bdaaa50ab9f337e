// Package safejson makes JSON safe to print on a terminal.
//
// encoding/json escapes the control characters below U+0020, but not DEL and U+0080 to U+009F.
// U+009B starts an escape sequence of a terminal, like ESC [. A page title with it could move the
// cursor when somebody prints pages.jsonl.
//
// encoding/json also keeps characters that change the direction of text. After U+202E,
// "gpj.exe" looks like "exe.jpg".
//
// This package writes such characters as \u009b and \u202e, which is the same JSON.
package safejson

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Escape returns JSON in which all control characters and bidirectional control characters are
// escaped. It returns text itself if it has none.
func Escape(text []byte) []byte {
	var escaped []byte // nil if as text so far
	done := 0          // of text
	for i := 0; i < len(text); {
		if c := text[i]; c != del && c != leadC1 && c != leadMark && c != leadMarks { // nearly always
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			if escaped == nil {
				escaped = make([]byte, 0, len(text)+len(text)/8+16)
			}
			escaped = fmt.Appendf(append(escaped, text[done:i]...), `\u%04x`, r)
			done = i + size
		}
		i += size
	}
	if escaped == nil {
		return text
	}
	return append(escaped, text[done:]...)
}

// The first octets, in UTF-8, of all that is escaped.
const (
	del       = 0x7f
	leadC1    = 0xc2 // of U+0080 to U+00BF
	leadMark  = 0xd8 // of U+0600 to U+063F
	leadMarks = 0xe2 // of U+2000 to U+2FFF
)

// NewWriter returns a writer that escapes the JSON of each Write and writes it to w. A Write
// must not split a UTF-8 character.
func NewWriter(w io.Writer) io.Writer { return writer{w} }

type writer struct{ w io.Writer }

// Write implements io.Writer.
func (w writer) Write(text []byte) (int, error) {
	if n, err := w.w.Write(Escape(text)); err != nil {
		return min(n, len(text)), err
	}
	return len(text), nil
}
