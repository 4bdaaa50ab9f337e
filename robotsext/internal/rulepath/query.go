// Package rulepath converts the paths of rules and URLs to the forms that are compared.
package rulepath

import (
	"fmt"
	"strings"
)

// querySigns are the characters that only some clients escape in a query. In figure 4 of RFC
// 9309 both forms are equal (ROB-MAT-19, D10). Browsers and colly escape an apostrophe,
// net/http does not. [ and ] are already escaped in the first form.
const querySigns = ":/?@'"

// queryEscapes has the escape of each of the querySigns.
var queryEscapes = func() (t [256]string) {
	for _, sign := range []byte(querySigns) {
		t[sign] = fmt.Sprintf("%%%02X", sign)
	}
	return t
}()

// EscapeQuery returns the second form of a canonical path or pattern, in which the
// characters : / ? @ ' are escaped after the first question mark.
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
