package robotslint

import (
	"slices"
	"sort"
	"strings"
)

// prefixes is a set of strings, each of which knows the longest other that it
// begins with. Strings are known by their position in sorted order, in which
// those that begin with a string come right after it.
type prefixes struct {
	keys   []string
	parent []int // -1: begins with no other
}

func newPrefixes(keys []string) *prefixes {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	p := &prefixes{keys: slices.Compact(keys)}
	p.parent = make([]int, len(p.keys))
	open := []int{} // those that the current key may begin with, each the parent of the next
	for i, key := range p.keys {
		for len(open) > 0 && !strings.HasPrefix(key, p.keys[open[len(open)-1]]) {
			open = open[:len(open)-1]
		}
		p.parent[i] = -1
		if len(open) > 0 {
			p.parent[i] = open[len(open)-1]
		}
		open = append(open, i)
	}
	return p
}

// find returns the position of a key, which has to be in the set.
func (p *prefixes) find(key string) int {
	return sort.SearchStrings(p.keys, key)
}
