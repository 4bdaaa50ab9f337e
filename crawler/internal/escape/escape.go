// Package escape makes what a site wrote fit to be shown to a person.
//
// A site may write anything: characters that nobody sees, some that turn the direction
// of reading so that an address reads like another, text without end, addresses that
// are programs. A template that escapes markup lets all of them through.
package escape

import (
	"net/url"
	"strconv"
	"strings"
)

// MaxChars is how much of a text is shown, in characters.
const MaxChars = 300

// Text is text of a site as a person can see it: what is invisible or turns the
// direction of reading is written as an escape of Go, and what is longer than Max is
// cut.
func Text(text string) string {
	more, n := "", 0
	for i := range text {
		if n == MaxChars {
			text, more = text[:i], "…"
			break
		}
		n++
	}
	quoted := strconv.QuoteToGraphic(text)
	return unquoted.Replace(quoted[1:len(quoted)-1]) + more
}

// unquoted writes what only a quoted text needs to escape as itself.
var unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// IsWebLink tells whether a browser may be sent to what a site wrote: it is a URL of the
// web, of so many bytes at the most.
func IsWebLink(text string, most int) bool {
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
