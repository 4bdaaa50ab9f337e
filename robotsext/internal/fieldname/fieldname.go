// Package fieldname recognizes misspelled fields of robots.txt.
package fieldname

import (
	"math/bits"
	"strings"
)

// lenient are the prefixes of names that Google's parser accepts, with their fields. The
// parser tries them in this order (ROB-FMT-12).
var lenient = [...][2]string{
	{"user-agent", "user-agent"},
	{"useragent", "user-agent"},
	{"user agent", "user-agent"},
	{"allow", "allow"},
	{"disallow", "disallow"},
	{"dissallow", "disallow"},
	{"dissalow", "disallow"},
	{"disalow", "disallow"},
	{"diasllow", "disallow"},
	{"disallaw", "disallow"},
	{"sitemap", "sitemap"},
	{"site-map", "sitemap"},
}

// Lenient returns the field that Google's parser recognizes in a name, or "".
func Lenient(name string) string {
	for _, spelling := range lenient {
		if n := len(spelling[0]); len(name) >= n && strings.EqualFold(name[:n], spelling[0]) {
			return spelling[1]
		}
	}
	return ""
}

// Nearest returns the field with the smallest edit distance from an unknown name:
// user-agent, allow, disallow, sitemap, crawl-delay, content-usage or content-signal
// (ROB-FMT-11). It returns "" if no field is similar. A longer name that begins with one that
// Lenient recognizes, such as Disallow-AI, is another field.
func Nearest(name string) string {
	for _, spelling := range lenient {
		if len(name) == len(spelling[0]) && strings.EqualFold(name, spelling[0]) {
			return spelling[1]
		}
	}
	if Lenient(name) != "" {
		return ""
	}
	if strings.EqualFold(name, "agent") {
		return "user-agent"
	}
	for _, field := range [...]string{"user-agent", "allow", "disallow", "sitemap", "crawl-delay", "content-usage", "content-signal"} {
		most := len(field) / 5
		if len(name) < len(field)-most || len(name) > len(field)+most {
			continue
		}
		if bits.OnesCount32(letterSet(name)^letterSet(field)) <= 2*most && distance(name, field) <= most {
			return field
		}
	}
	return ""
}

// letterSet returns the set of the letters of a name. Each edit that distance counts removes
// at most one letter from the set and adds at most one.
func letterSet(name string) (set uint32) {
	for i := 0; i < len(name); i++ {
		set |= 1 << (name[i] & 31) // of either case
	}
	return set
}

// distance returns the restricted Damerau-Levenshtein distance without regard to case. Its
// arguments must be short.
func distance(a, b string) int {
	var rows [17][17]int8
	for i := 0; i <= len(a); i++ {
		for j := 0; j <= len(b); j++ {
			if i == 0 || j == 0 {
				rows[i][j] = int8(i + j)
				continue
			}
			change := int8(1)
			if lower(a[i-1]) == lower(b[j-1]) {
				change = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && lower(a[i-1]) == lower(b[j-2]) && lower(a[i-2]) == lower(b[j-1]) {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return int(rows[len(a)][len(b)])
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
