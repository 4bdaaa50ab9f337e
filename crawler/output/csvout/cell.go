package csvout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a text of a site as it stands in a cell.
func (s *sink) text(t string) string {
	if s.keepFormulas {
		return oneLine(t)
	}
	return Cell(t)
}

// Cell returns a text that others wrote as it can stand in a cell of a table: on one
// line, without control characters, and nothing that a spreadsheet takes for a formula.
// The package comment says how. It is for tables that are made without a crawl.
func Cell(t string) string {
	t = oneLine(t)
	if !strings.ContainsAny(t, formulaBegins) {
		return t
	}
	var marked strings.Builder
	for rest := t; rest != ""; {
		// Where a spreadsheet takes semicolons for the separator, a cell begins behind
		// each of them, whatever quotes a program put around the text.
		part := rest
		if i := strings.IndexByte(rest, ';'); i >= 0 {
			part = rest[:i+1]
		}
		rest = rest[len(part):]
		if formula(part) {
			marked.WriteByte('\'')
		}
		marked.WriteString(part)
	}
	return marked.String()
}

// nested is a list or an object, as JSON. The escape means the same to who reads that.
func (s *sink) nested(json string) string {
	if !s.keepFormulas {
		json = strings.ReplaceAll(json, ";", `\u003b`)
	}
	return s.text(json)
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

// formulaBegins are the characters that a formula begins with.
const formulaBegins = "=+-@＝＋－＠"

// formula tells whether a spreadsheet might take a text for one. Apostrophes count
// like spaces, so that which of them were added can be told; so do quotes, which a
// spreadsheet that was told another separator drops.
func formula(t string) bool {
	t = strings.TrimLeftFunc(t, func(r rune) bool { return r == '\'' || r == '"' || unicode.IsSpace(r) })
	first, _ := utf8.DecodeRuneInString(t)
	return t != "" && strings.ContainsRune(formulaBegins, first)
}
