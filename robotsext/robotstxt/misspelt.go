package robotstxt

import "math/bits"

// guessField guesses which of the fields that count an unknown one was meant for,
// by the number of letters that would have to be added, dropped, changed or
// swapped with their neighbour (ROB-FMT-11). It returns "" if none is near.
func guessField(name string) string {
	known := [...]string{fieldAgent: "user-agent", fieldAllow: "allow", fieldDisallow: "disallow", fieldSitemap: "sitemap", fieldSitemap + 1: "crawl-delay"}
	if field := parseFieldLeniently(name); field != fieldOther {
		return known[field]
	}
	if equalFold(name, "agent") {
		return known[fieldAgent]
	}
	for _, field := range known[fieldAgent:] {
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

// letterSet is the set of the letters of a name. Each change of the name, as
// distance counts them, takes at most one letter from it and adds one.
func letterSet(name string) (set uint32) {
	for i := 0; i < len(name); i++ {
		set |= 1 << (name[i] & 31) // of either case
	}
	return set
}

// distance is the edit distance of Damerau and Levenshtein, without regard to
// case, in its short form: no letter is touched twice. It is for the names of
// fields, which are short.
func distance(a, b string) int {
	var rows [16][16]int8
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
