// Package headerlist reads the lists in the fields of HTTP headers (RFC 9110, section 5.6.1).
//
// A comma separates two elements of a list, unless it is in a quoted string, as in
//
//	WWW-Authenticate: Basic realm="a, b", License error="expired"
//
// Sites send lists that are not valid. Like browsers, this package reads them without errors: a quoted
// string without an end reaches to the end of the text.
package headerlist

import (
	"iter"
	"strings"
)

// Elements yields the elements of a list without the spaces and tabs around them. It also yields empty
// elements; an empty list has one.
func Elements(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(list); i++ {
			switch {
			case list[i] == ',' && !quoted:
				if !yield(strings.Trim(list[start:i], " \t")) {
					return
				}
				start = i + 1
			case list[i] == '"':
				quoted = !quoted
			case list[i] == '\\' && quoted:
				i++
			}
		}
		yield(strings.Trim(list[start:], " \t"))
	}
}

// CutQuoted cuts the quoted string off the beginning of s, which is a quotation mark, and returns its
// text without escapes.
func CutQuoted(s string) (text, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
