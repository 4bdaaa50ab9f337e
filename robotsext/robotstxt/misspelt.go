package robotstxt

// isMisspelt guesses whether an unknown field was meant for one that counts, by
// the number of letters that would have to be added, dropped, changed or swapped
// with their neighbour (ROB-FMT-11).
func isMisspelt(name string) bool {
	if parseFieldLeniently(name) != fieldOther || equalFold(name, "agent") {
		return true
	}
	for _, known := range []string{"user-agent", "allow", "disallow", "sitemap", "crawl-delay"} {
		if distance(name, known) <= len(known)/5 {
			return true
		}
	}
	return false
}

// distance is the edit distance of Damerau and Levenshtein, without regard to
// case, in its short form: no letter is touched twice. It is exact only for
// names of about the same length; others are far apart.
func distance(a, b string) int {
	const most = 16
	if len(a) > most || len(b) > most {
		return most
	}
	var rows [most + 1][most + 1]int
	for i := 0; i <= len(a); i++ {
		for j := 0; j <= len(b); j++ {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			change := 1
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
	return rows[len(a)][len(b)]
}
