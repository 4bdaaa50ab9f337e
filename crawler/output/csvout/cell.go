package csvout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a text of a site as it stands in a cell.
func (s *sink) text(t string) string {
	t = oneLine(t)
	if !s.keepFormulas && formula(t) {
		return "'" + t
	}
	return t
}

// oneLine makes a text valid UTF-8 without control characters.
func oneLine(t string) string {
	if plain(t) {
		return t
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r // which is utf8.RuneError for what is not UTF-8
	}, t)
}

// plain tells whether a text is printable ASCII, as most are.
func plain(t string) bool {
	for i := range len(t) {
		if t[i] < ' ' || t[i] > '~' {
			return false
		}
	}
	return true
}

// formula tells whether a spreadsheet might take a text for one. Apostrophes count
// like spaces, so that which of them were added can be told.
func formula(t string) bool {
	t = strings.TrimLeftFunc(t, func(r rune) bool { return r == '\'' || unicode.IsSpace(r) })
	first, _ := utf8.DecodeRuneInString(t)
	switch first {
	case '=', '+', '-', '@', '＝', '＋', '－', '＠':
		return true
	}
	return false
}
