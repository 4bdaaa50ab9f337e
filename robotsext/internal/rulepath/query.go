// Package rulepath holds the forms in which the paths of rules and URLs are
// compared.
package rulepath

import (
	"fmt"
	"strings"
)

// querySigns are the characters that some write raw in a query and others escape.
// RFC 9309 takes the two for equal in figure 4 (ROB-MAT-19, D10). An apostrophe is
// one of them, since browsers and colly escape it, and net/http does not. [ ] are
// too, but they are escaped in the first form already.
const querySigns = ":/?@'"

// queryEscapes has the escape of each of the querySigns.
var queryEscapes = func() (t [256]string) {
	for _, sign := range []byte(querySigns) {
		t[sign] = fmt.Sprintf("%%%02X", sign)
	}
	return t
}()

// EscapeQuery returns the second form of a canonical path or pattern, in which the
// characters : / ? @ ' are escaped behind the first question mark.
func EscapeQuery(s string) string {
	same := strings.IndexByte(s, '?') + 1
	if same == 0 {
		return s
	}
	for same < len(s) && queryEscapes[s[same]] == "" {
		same++
	}
	if same == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)+16), s[:same]...)
	for i := same; i < len(s); i++ {
		if escape := queryEscapes[s[i]]; escape != "" {
			out = append(out, escape...)
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}
