package monitor

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxShown is how much of a text is shown, in characters.
	maxShown = 300

	// maxAddress is the longest URL that is a link, in bytes.
	maxAddress = 2000
)

// shown is text of a site as a person can see it: what is invisible or turns the
// direction of reading is written as an escape, and what is too long is cut.
func shown(text string) string {
	var b strings.Builder
	for n := 0; len(text) > 0; n++ {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case n == maxShown:
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

// An address is a URL to be shown, and where it leads: empty where a browser is not
// to be sent there.
type address struct {
	Text string `json:"text"`
	Href string `json:"href,omitempty"`
}

func addressOf(raw string) address {
	a := address{Text: shown(raw)}
	if u, err := url.Parse(raw); err == nil && len(raw) <= maxAddress && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		a.Href = raw
	}
	return a
}
