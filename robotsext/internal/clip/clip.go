// Package clip shortens texts of unbounded length for messages and logs.
package clip

import "unicode/utf8"

// Text returns s, or its first most bytes and an ellipsis if it is longer. It does
// not split a character.
func Text(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
