package rulepath

import "strings"

// Match reports whether a glob matches all of a text. A star in a glob is any text, also none.
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

// Instance returns a text that a glob matches and that stands for all of them: another glob
// of canonical patterns, which hold no control characters, matches it only if it matches
// whatever is put in the place of the stars.
func Instance(glob string) string { return strings.ReplaceAll(glob, "*", "\x00") }
