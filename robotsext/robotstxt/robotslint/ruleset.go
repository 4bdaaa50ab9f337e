package robotslint

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/prefixes"
)

// A rule is redundant if the other rules give the same verdict on every URL. A rule r is
// redundant if another rule s matches all URLs that r matches, and one of these holds:
//
//   - s outranks r, because it is longer, or has the same length and is an Allow or has the
//     same verdict. Then s or a higher rule decides wherever r matches.
//   - s has the same verdict as r, and no rule t with the other verdict ranks between them
//     and may match a URL that r matches. Without r, s or another rule with the same verdict
//     decides wherever r decides.
//
// Both hold regardless of the other rules, because t may be any rule. All redundant rules can
// be removed together: s is never a rule that was found redundant before. So when the rules
// are removed in the order in which they were found, s is still present.
//
// covers decides whether s matches all URLs of r. The literal prefixes decide whether t and r
// may match the same URL. In case of doubt, and if no steps remain in a hostile file, a rule
// counts as needed.

// ruleset holds the rules of one merged group.
type ruleset struct {
	rules     []pattern
	allow     []bool
	redundant []bool
	steps     *int

	literals *prefixes.Set // literal prefixes of the rules
	node     []int         // of each rule, in literals
	flat     [][2][]int    // of each node, the prefix rules of each verdict, highest rank first
	wild     [][]int       // of each node, the other rules

	paths *prefixes.Set // prefixes of the rules up to the query
	at    []int         // of each rule, in paths
	ranks [][2][]int    // of each node, the ranks of each verdict, lowest first, without
	exact [][2][]int    // the ranks of rules that match a single path
}

// verdict returns the index of a verdict in a pair of lists.
func verdict(allow bool) int {
	if allow {
		return 1
	}
	return 0
}

func newRuleset(rules []pattern, allow []bool, steps *int) *ruleset {
	s := &ruleset{rules: rules, allow: allow, redundant: make([]bool, len(rules)), steps: steps}
	literals, paths := make([]string, len(rules)), make([]string, len(rules))
	for i := range rules {
		literals[i], paths[i] = rules[i].literal(), rules[i].beginning()
	}
	s.literals, s.paths = prefixes.New(literals), prefixes.New(paths)
	s.node, s.at = make([]int, len(rules)), make([]int, len(rules))
	s.flat, s.wild = make([][2][]int, len(s.literals.Keys)), make([][]int, len(s.literals.Keys))
	s.ranks, s.exact = make([][2][]int, len(s.paths.Keys)), make([][2][]int, len(s.paths.Keys))
	for i := range rules {
		r, v := &rules[i], verdict(allow[i])
		n, p := s.literals.Find(literals[i]), s.paths.Find(paths[i])
		s.node[i], s.at[i] = n, p
		if r.isPrefix() {
			s.flat[n][v] = append(s.flat[n][v], i)
		} else {
			s.wild[n] = append(s.wild[n], i)
		}
		if r.isPath() {
			s.exact[p][v] = append(s.exact[p][v], r.rank)
		} else {
			s.ranks[p][v] = append(s.ranks[p][v], r.rank)
		}
	}
	byRank := func(a, b int) int { return cmp.Compare(rules[b].rank, rules[a].rank) }
	for n := range s.flat {
		slices.SortStableFunc(s.flat[n][0], byRank)
		slices.SortStableFunc(s.flat[n][1], byRank)
	}
	for p := range s.ranks {
		for v := range 2 {
			slices.Sort(s.ranks[p][v])
			slices.Sort(s.exact[p][v])
		}
	}
	return s
}

// shadow returns the rule that makes r redundant, or -1, and stores the result. Called from
// the last rule to the first, it keeps the first of equal rules.
func (s *ruleset) shadow(r int) int {
	under := -1 // the highest rule of the same verdict that covers r and ranks below
	over := -1  // a rule that outranks r
	consider := func(c int) {
		switch {
		case s.rules[c].rank >= s.rules[r].rank:
			over = c
		case s.allow[c] == s.allow[r] && (under < 0 || s.rules[c].rank > s.rules[under].rank):
			under = c
		}
	}
	for n := s.node[r]; n >= 0 && over < 0; n = s.literals.Parent(n) {
		for v := range 2 {
			if c := s.highest(n, v, r); c >= 0 {
				consider(c)
			}
		}
		for _, c := range s.wild[n] {
			if over >= 0 || *s.steps < 0 {
				break
			}
			if *s.steps--; c != r && !s.redundant[c] && s.rules[c].covers(&s.rules[r], s.steps) {
				consider(c)
			}
		}
	}
	switch {
	case over >= 0:
		s.redundant[r] = true
		return over
	case under >= 0 && !s.between(under, r):
		s.redundant[r] = true
		return under
	}
	return -1
}

// highest returns the highest prefix rule of a node with verdict v that is neither r nor
// redundant.
func (s *ruleset) highest(n, v, r int) int {
	list := s.flat[n][v]
	for len(list) > 0 && s.redundant[list[0]] {
		list = list[1:]
	}
	s.flat[n][v] = list
	for _, c := range list {
		if *s.steps--; c != r && !s.redundant[c] {
			return c
		}
	}
	return -1
}

// between reports whether a rule of the other verdict ranks between lower and r and may match
// a URL that r matches.
func (s *ruleset) between(lower, r int) bool {
	from, to, other := s.rules[lower].rank, s.rules[r].rank, 1-verdict(s.allow[r])
	for n := s.at[r]; n >= 0; n = s.paths.Parent(n) {
		if holdsBetween(s.ranks[n][other], from, to) {
			return true
		}
	}
	own := s.paths.Keys[s.at[r]]
	if holdsBetween(s.exact[s.at[r]][other], from, to) {
		return true
	}
	if s.rules[r].isPath() || 2*leastLength(own) >= to {
		return false // rules with a longer prefix than own are longer than r
	}
	for n := s.at[r] + 1; n < len(s.paths.Keys) && strings.HasPrefix(s.paths.Keys[n], own); n++ {
		if *s.steps -= 2; *s.steps < 0 || holdsBetween(s.ranks[n][other], from, to) || holdsBetween(s.exact[n][other], from, to) {
			return true
		}
	}
	return false
}

// leastLength returns the minimum length of a rule with a longer prefix than beginning. A
// literal dollar sign counts as one octet (ROB-MAT-03), and may be part of an escape.
func leastLength(beginning string) int {
	n := len(beginning) - 2*strings.Count(beginning, "%24") + 1
	if strings.HasSuffix(beginning, "%") || strings.HasSuffix(beginning, "%2") {
		n -= 2
	}
	return n
}

// holdsBetween reports whether a sorted list has a number between from and to.
func holdsBetween(list []int, from, to int) bool {
	i := sort.SearchInts(list, from+1)
	return i < len(list) && list[i] < to
}
