package robotstxt

import (
	"cmp"
	"slices"
	"strings"
)

// forest finds the matching rule of the lowest rank without visiting the others.
//
// The literal prefixes of all rules, sorted, form a forest: the parent of a
// prefix is the longest other one that it begins with. The prefixes that a path
// begins with are then a chain of ancestors, and the chain starts at or above
// the last prefix that sorts before the path.
type forest struct {
	prefixes []string
	nodes    []node // parallel to prefixes
	wild     []wildRule
}

// node is what is known of one prefix.
type node struct {
	parent int32 // -1: none
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

// newForest grows a forest of rules that are sorted by rank.
func newForest(rules []ranked) *forest {
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
	// Of rules that match the same, the first by rank is the one that decides
	// (ROB-GRP-09).
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.pattern == b.pattern })

	x := &forest{}
	for i := 0; i < len(entries); {
		prefix := entries[i].prefix
		n := node{parent: x.parentOf(prefix), plain: noRank, exact: noRank, wildUp: -1}
		if n.parent >= 0 {
			n.plain, n.wildUp = x.nodes[n.parent].plain, x.nodes[n.parent].wildUp
		}
		n.wild.lo = int32(len(x.wild))
		for ; i < len(entries) && entries[i].prefix == prefix; i++ {
			switch e := &entries[i]; {
			case e.wild:
				x.wild = append(x.wild, wildRule{e.signature(), e.rank, e.pattern})
				n.wildUp = int32(len(x.nodes))
			case e.anchored:
				n.exact = min(n.exact, e.rank)
			default:
				n.plain = min(n.plain, e.rank)
			}
		}
		n.wild.hi = int32(len(x.wild))
		slices.SortFunc(x.wild[n.wild.lo:], func(a, b wildRule) int { return cmp.Compare(a.rank, b.rank) })
		x.prefixes = append(x.prefixes, prefix)
		x.nodes = append(x.nodes, n)
	}
	return x
}

// parentOf finds the parent of a prefix that sorts after all of x.
func (x *forest) parentOf(prefix string) int32 {
	i := int32(len(x.prefixes)) - 1
	for i >= 0 && !strings.HasPrefix(prefix, x.prefixes[i]) {
		i = x.nodes[i].parent
	}
	return i
}

// match returns the lowest rank of a rule that matches path, or rank if that is
// lower.
func (x *forest) match(path string, rank int32) int32 {
	i := x.deepest(path)
	if i < 0 {
		return rank
	}
	n := &x.nodes[i]
	rank = min(rank, n.plain)
	if len(x.prefixes[i]) == len(path) {
		rank = min(rank, n.exact)
	}
	if n.wildUp < 0 {
		return rank
	}
	var have signature
	have.add(path)
	for i = n.wildUp; i >= 0; {
		n = &x.nodes[i]
		rank = matchWild(x.wild[n.wild.lo:n.wild.hi], path[len(x.prefixes[i]):], have, rank)
		if i = n.parent; i >= 0 {
			i = x.nodes[i].wildUp
		}
	}
	return rank
}

// cost estimates what match costs, see Group.Cost.
func (x *forest) cost(path string) int {
	steps := 0
	var have signature
	have.add(path)
	for i := x.deepest(path); i >= 0; i = x.nodes[i].parent {
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

// deepest returns the longest prefix that path begins with, -1 if there is none.
// All others that it begins with are ancestors of that.
func (x *forest) deepest(path string) int32 {
	lo, hi := 0, len(x.prefixes)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); x.prefixes[mid] <= path {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	i := int32(lo - 1) // the last prefix that does not sort after path
	if i < 0 {
		return i
	}
	common := commonPrefix(x.prefixes[i], path)
	for i >= 0 && len(x.prefixes[i]) > common {
		i = x.nodes[i].parent
	}
	return i
}

// matchWild looks for the first match among rules of one prefix; s is the path
// after the prefix, have the signature of the whole path.
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

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
