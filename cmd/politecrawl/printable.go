package main

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// printable returns text from a foreign file in a form that a terminal shows and
// does not obey: control characters and broken UTF-8 are written as escapes.
func printable(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r) {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// moment writes a time for a person.
func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 -07:00") }
