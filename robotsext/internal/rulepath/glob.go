package rulepath

import "strings"

// Match reports whether a glob matches a whole text. A star matches any text, even empty.
func Match(glob, text string) bool {
	first, rest, star := strings.Cut(glob, "*")
	if !star {
		return text == first
	}
	s, ok := strings.CutPrefix(text, first)
	for ok {
		var piece string
		if piece, rest, star = strings.Cut(rest, "*"); !star {
			return strings.HasSuffix(s, piece)
		}
		_, s, ok = strings.Cut(s, piece)
	}
	return false
}

// Instance returns a text that represents all matches of a glob. Another glob without control
// characters, as in canonical patterns, matches it only if it matches all of them.
func Instance(glob string) string { return strings.ReplaceAll(glob, "*", "\x00") }
