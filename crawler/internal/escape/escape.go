// Package escape makes text of a site safe to show to a person.
//
// A site may write invisible characters, characters that change the direction of writing,
// endless text, or URLs that are programs. A template that escapes markup lets all of them
// through.
package escape

import (
	"net/url"
	"strconv"
	"strings"
)

// MaxChars is the length of the longest text that is shown, in characters.
const MaxChars = 300

// Text escapes invisible characters and those that change the direction of writing, as in a
// Go string, and cuts the text after MaxChars.
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

// IsWebLink reports whether a text of a site is an http or https URL of at most a number of
// bytes, so that a page may link to it.
func IsWebLink(text string, most int) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= most && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// MaxBytes is how many bytes of a site's text, such as a media type, a line of output
// repeats.
const MaxBytes = 200

// Clip shortens a text to a number of bytes, at a character.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
