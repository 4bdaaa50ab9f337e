package extract

import (
	"bytes"
	"iter"
	"strings"
)

// asciiSpace is the white space of HTML. Unlike white space in package bytes, it has no U+0085 or U+00A0.
const asciiSpace = " \t\n\f\r"

// trimReference removes the characters that the URL parser ignores at both ends of a reference: C0
// controls and spaces. A URL can begin or end with other white space, such as U+00A0.
func trimReference[T []byte | string](ref T) T {
	for len(ref) > 0 && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for len(ref) > 0 && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	return ref
}

// words yields the words of a set such as rel, in lower case.
func words(set []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range bytes.FieldsFuncSeq(set, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) }) {
			if !yield(lowerASCII(word)) {
				return
			}
		}
	}
}

// lowerASCII returns a text with the letters of ASCII in lower case. The names of HTML and CSS ignore
// the case of no others: the Kelvin sign is no k.
func lowerASCII(text []byte) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, string(text))
}
