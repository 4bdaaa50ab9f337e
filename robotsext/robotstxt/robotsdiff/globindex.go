package robotsdiff

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/prefixes"
)

// globIndex finds the globs that may match a path in common with a given glob, by
// their literal prefixes. In files of thousands of rules these are few.
type globIndex struct {
	prefixes *prefixes.Set
	items    [][]int // of each prefix
}

// newGlobIndex returns an index of n items, each with some globs.
func newGlobIndex(n int, globs func(item int) []glob) *globIndex {
	var begins []string
	for item := range n {
		for _, g := range globs(item) {
			begins = append(begins, g.prefix())
		}
	}
	s := &globIndex{prefixes: prefixes.New(begins)}
	s.items = make([][]int, len(s.prefixes.Keys))
	for item := range n {
		for _, g := range globs(item) {
			i := s.prefixes.Find(g.prefix())
			s.items[i] = append(s.items[i], item)
		}
	}
	return s
}

// near returns the items that may intersect one of the globs, in order.
func (s *globIndex) near(globs ...glob) []int {
	var items []int
	for _, g := range globs {
		prefix := g.prefix()
		for i := s.prefixes.Find(prefix); i < len(s.items) && strings.HasPrefix(s.prefixes.Keys[i], prefix); i++ {
			items = append(items, s.items[i]...)
		}
		for i := s.prefixes.Longest(prefix); i >= 0; i = s.prefixes.Parent(i) {
			items = append(items, s.items[i]...)
		}
	}
	slices.Sort(items)
	return slices.Compact(items)
}
