package csvout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// text returns the cell of a string from a site.
func (s *sink) text(t string) string {
	if s.keepFormulas {
		return oneLine(t)
	}
	return Cell(t)
}

// Cell makes an untrusted string safe as a cell of a spreadsheet. The result has one line and no
// control characters, and is not a formula; see the package comment. Cell is for programs that
// write their own tables.
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

// nested returns the cell of a list or an object. The escape is valid JSON.
func (s *sink) nested(json string) string {
	if !s.keepFormulas {
		json = strings.ReplaceAll(json, ";", `\u003b`)
	}
	return s.text(json)
}

// oneLine makes a string valid UTF-8 without control characters. Characters that change the
// direction of text are escaped as in the JSON lines.
func oneLine(t string) string {
	if plain(t) {
		return t
	}
	t = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r // which is utf8.RuneError for what is not UTF-8
	}, t)
	return string(safejson.Escape([]byte(t)))
}

// plain reports whether a string is printable ASCII, as most are.
func plain(t string) bool {
	for i := range len(t) {
		if t[i] < ' ' || t[i] > '~' {
			return false
		}
	}
	return true
}

// formulaBegins are the first characters of formulas.
const formulaBegins = "=+-@＝＋－＠"

// formula reports whether a spreadsheet might treat a string as a formula. It ignores apostrophes,
// so that added ones can be identified, and quotes, which some spreadsheets drop.
func formula(t string) bool {
	t = strings.TrimLeftFunc(t, func(r rune) bool { return r == '\'' || r == '"' || unicode.IsSpace(r) })
	first, _ := utf8.DecodeRuneInString(t)
	return t != "" && strings.ContainsRune(formulaBegins, first)
}
