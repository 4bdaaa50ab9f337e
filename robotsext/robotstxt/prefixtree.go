package robotstxt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/prefixes"
)

// prefixTree finds the matching rule of the lowest rank without visiting the others.
//
// The parent of a prefix is the longest other prefix that it begins with. The prefixes
// of a path are then a chain of ancestors.
type prefixTree struct {
	prefixes *prefixes.Set
	nodes    []node // of each prefix
	wild     []wildRule
}

// node holds the rules with one prefix.
type node struct {
	plain  int32 // lowest rank of the rules that are this prefix or an ancestor, and nothing else
	exact  int32 // lowest rank of the rules that are this prefix and a $
	wild   span  // wildcard rules with this prefix, by rank
	wildUp int32 // the nearest node with wildcard rules, from this one upwards
}

// wildRule is a rule with a wildcard that is not its last character.
type wildRule struct {
	need signature
	rank int32
	pattern
}

// newPrefixTree builds the tree of rules that are sorted by rank.
func newPrefixTree(rules []ranked) *prefixTree {
	type entry struct {
		pattern
		rank int32
	}
	entries := make([]entry, len(rules))
	for i := range rules {
		entries[i] = entry{splitPattern(rules[i].pattern).withoutRuns(), rules[i].rank}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := strings.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		if c := strings.Compare(a.rest, b.rest); c != 0 {
			return c
		}
		if a.anchored != b.anchored {
			if a.anchored {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.rank, b.rank)
	})
	// Among equal rules, the one with the lowest rank decides (ROB-GRP-09).
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.pattern == b.pattern })

	begins := make([]string, len(entries))
	for i := range entries {
		begins[i] = entries[i].prefix
	}
	x := &prefixTree{prefixes: prefixes.New(begins)}
	x.nodes = make([]node, 0, len(x.prefixes.Keys))
	i := 0
	for at, prefix := range x.prefixes.Keys {
		n := node{plain: noRank, exact: noRank, wildUp: -1}
		if parent := x.prefixes.Parent(at); parent >= 0 {
			n.plain, n.wildUp = x.nodes[parent].plain, x.nodes[parent].wildUp
		}
		n.wild.lo = int32(len(x.wild))
		for ; i < len(entries) && entries[i].prefix == prefix; i++ {
			switch e := &entries[i]; {
			case e.wild:
				x.wild = append(x.wild, wildRule{e.signature(), e.rank, e.pattern})
				n.wildUp = int32(at)
			case e.anchored:
				n.exact = min(n.exact, e.rank)
			default:
				n.plain = min(n.plain, e.rank)
			}
		}
		n.wild.hi = int32(len(x.wild))
		slices.SortFunc(x.wild[n.wild.lo:], func(a, b wildRule) int { return cmp.Compare(a.rank, b.rank) })
		x.nodes = append(x.nodes, n)
	}
	return x
}

// match returns the lowest rank of a rule that matches path, or rank if that is
// lower.
func (x *prefixTree) match(path string, rank int32) int32 {
	i := x.prefixes.Longest(path)
	if i < 0 {
		return rank
	}
	n := &x.nodes[i]
	rank = min(rank, n.plain)
	if len(x.prefixes.Keys[i]) == len(path) {
		rank = min(rank, n.exact)
	}
	if n.wildUp < 0 {
		return rank
	}
	var have signature
	have.add(path)
	for i = int(n.wildUp); i >= 0; {
		n = &x.nodes[i]
		rank = matchWild(x.wild[n.wild.lo:n.wild.hi], path[len(x.prefixes.Keys[i]):], have, rank)
		if i = x.prefixes.Parent(i); i >= 0 {
			i = int(x.nodes[i].wildUp)
		}
	}
	return rank
}

// cost estimates the cost of match; see Group.Cost.
func (x *prefixTree) cost(path string) int {
	steps := 0
	var have signature
	have.add(path)
	for i := x.prefixes.Longest(path); i >= 0; i = x.prefixes.Parent(i) {
		rules := x.wild[x.nodes[i].wild.lo:x.nodes[i].wild.hi]
		steps += 1 + len(rules)/4
		for j := range rules {
			if have.covers(rules[j].need) {
				steps += 2 + min(len(rules[j].rest), len(path)) + len(path)/8
			}
		}
	}
	return steps
}

// matchWild returns the rank of the first of the rules that matches, or rank. The rules
// have one prefix, s is the path after it, and have is the signature of the whole path.
func matchWild(rules []wildRule, s string, have signature, rank int32) int32 {
	for i := range rules {
		r := &rules[i]
		if r.rank >= rank {
			break
		}
		if have.covers(r.need) && r.matchRest(s) {
			return r.rank
		}
	}
	return rank
}
