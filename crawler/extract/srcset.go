package extract

import (
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// srcsetURLs yields the URLs in the value of a srcset attribute, as HTML parses it (living standard,
// 4.8.4.3.10). It ignores a URL with invalid descriptors, which no browser uses.
func srcsetURLs(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := value; ; {
			rest = strings.TrimLeft(rest, asciiSpace+",")
			if rest == "" {
				return
			}
			end := strings.IndexAny(rest, asciiSpace)
			if end < 0 {
				end = len(rest)
			}
			ref := strings.TrimRight(rest[:end], ",")
			hasDescriptors := len(ref) == end
			rest = rest[end:]
			if hasDescriptors {
				end = descriptorsEnd(rest)
				if !areDescriptors(rest[:end]) {
					ref = ""
				}
				rest = rest[end:]
			}
			if ref != "" && !yield(ref) {
				return
			}
		}
	}
}

// descriptorsEnd returns the length of the descriptors of a URL. They end at a comma outside
// parentheses.
func descriptorsEnd(text string) int {
	inParentheses := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			inParentheses = true
		case c == ')':
			inParentheses = false
		case c == ',' && !inParentheses:
			return i
		}
	}
	return len(text)
}

var (
	isSize    = regexp.MustCompile(`^0*[1-9][0-9]*[wh]$`)
	isDensity = regexp.MustCompile(`^-?(?:[0-9]+|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?x$`)
)

// areDescriptors reports whether descriptors are valid: a width, which a height may accompany, or a
// density, or nothing.
func areDescriptors(text string) bool {
	var seen [256]bool // by unit
	for descriptor := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(asciiSpace, r) }) {
		last := len(descriptor) - 1
		if seen[descriptor[last]] || !isSize.MatchString(descriptor) && !isDensity.MatchString(descriptor) {
			return false
		}
		if density, _ := strconv.ParseFloat(descriptor[:last], 64); density < 0 {
			return false
		}
		seen[descriptor[last]] = true
	}
	return (seen['w'] || !seen['h']) && (!seen['w'] || !seen['x'])
}
