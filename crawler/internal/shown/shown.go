// Package shown makes what a site wrote fit to be shown to a person.
//
// A site may write anything: characters that nobody sees, some that turn the direction
// of reading so that an address reads like another, text without end, addresses that
// are programs. A template that escapes markup lets all of them through.
package shown

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Max is how much of a text is shown, in characters.
const Max = 300

// Text is text of a site as a person can see it: what is invisible or turns the
// direction of reading is written as an escape of Go, and what is longer than Max is
// cut.
func Text(text string) string {
	var b strings.Builder
	for n := 0; len(text) > 0; n++ {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case n == Max:
			return b.String() + "…"
		case r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r):
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// Link tells whether a browser may be sent to what a site wrote: it is a URL of the
// web, of so many bytes at the most.
func Link(text string, most int) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= most && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// MaxBytes is how much a line of output repeats, in bytes, of what a site wrote and a person
// may want to see: a reference that is no URL, a media type.
const MaxBytes = 200

// Clip shortens a text to some bytes, at a character.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
