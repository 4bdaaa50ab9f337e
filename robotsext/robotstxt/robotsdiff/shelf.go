package robotsdiff

import (
	"cmp"
	"slices"
	"strings"
)

// A shelf finds those of many globs that may have a path in common with a given
// one, by what they begin with: in files of thousands of rules that is next to
// none.
type shelf struct{ entries []shelved } // by prefix

type shelved struct {
	prefix string
	item   int
	parent int // the last entry before it whose prefix this one begins with; -1: none
}

// newShelf makes a shelf of n items, each of which has some globs.
func newShelf(n int, globs func(item int) []glob) *shelf {
	s := &shelf{}
	for item := range n {
		for _, g := range globs(item) {
			s.entries = append(s.entries, shelved{prefix: g.prefix(), item: item})
		}
	}
	slices.SortFunc(s.entries, func(a, b shelved) int {
		return cmp.Or(strings.Compare(a.prefix, b.prefix), a.item-b.item)
	})
	for i := range s.entries {
		s.entries[i].parent = s.above(i-1, s.entries[i].prefix)
	}
	return s
}

// above returns the last entry, from i upwards, that prefix begins with.
func (s *shelf) above(i int, prefix string) int {
	for i >= 0 && !strings.HasPrefix(prefix, s.entries[i].prefix) {
		i = s.entries[i].parent
	}
	return i
}

// near returns the items that may meet one of the globs, in order.
func (s *shelf) near(globs ...glob) []int {
	var items []int
	for _, g := range globs {
		prefix := g.prefix()
		first, _ := slices.BinarySearchFunc(s.entries, prefix, func(e shelved, p string) int { return strings.Compare(e.prefix, p) })
		for i := first; i < len(s.entries) && strings.HasPrefix(s.entries[i].prefix, prefix); i++ {
			items = append(items, s.entries[i].item)
		}
		for i := s.above(first-1, prefix); i >= 0; i = s.entries[i].parent {
			items = append(items, s.entries[i].item)
		}
	}
	slices.Sort(items)
	return slices.Compact(items)
}
