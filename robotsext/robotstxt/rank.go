package robotstxt

import "math"

// ranked is a rule with its canonical pattern and its rank, its position in the order of
// precedence. The matching rule with the lowest rank decides.
type ranked struct {
	rule    *Rule
	pattern string
	length  int
	rank    int32
}

const noRank = math.MaxInt32

// rank sorts rules in file order by precedence: first the longest, then Allow before
// Disallow (ROB-MAT-04), then the first in the file. It uses a counting sort: its time
// is proportional to the number of rules.
func rank(rules []ranked) {
	longest := 0
	for i := range rules {
		longest = max(longest, rules[i].length)
	}
	kind := func(r *ranked) int {
		if r.rule.Allow {
			return 2 * (longest - r.length)
		}
		return 2*(longest-r.length) + 1
	}
	next := make([]int32, 2*longest+3) // the place of the next rule of each kind
	for i := range rules {
		next[kind(&rules[i])+1]++
	}
	for k := 1; k < len(next); k++ {
		next[k] += next[k-1]
	}
	place := make([]int32, len(rules))
	for i := range rules {
		k := kind(&rules[i])
		place[i] = next[k]
		next[k]++
	}
	for i := range rules {
		for to := place[i]; to != int32(i); to = place[i] {
			rules[i], rules[to] = rules[to], rules[i]
			place[i], place[to] = place[to], to
		}
		rules[i].rank = int32(i)
	}
}
