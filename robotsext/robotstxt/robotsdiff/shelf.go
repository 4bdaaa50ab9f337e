package robotsdiff

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/prefixes"
)

// A shelf finds those of many globs that may have a path in common with a given
// one, by what they begin with: in files of thousands of rules that is next to
// none.
type shelf struct {
	prefixes *prefixes.Set
	items    [][]int // of each prefix
}

// newShelf makes a shelf of n items, each of which has some globs.
func newShelf(n int, globs func(item int) []glob) *shelf {
	var begins []string
	for item := range n {
		for _, g := range globs(item) {
			begins = append(begins, g.prefix())
		}
	}
	s := &shelf{prefixes: prefixes.New(begins)}
	s.items = make([][]int, len(s.prefixes.Keys))
	for item := range n {
		for _, g := range globs(item) {
			i := s.prefixes.Find(g.prefix())
			s.items[i] = append(s.items[i], item)
		}
	}
	return s
}

// near returns the items that may meet one of the globs, in order.
func (s *shelf) near(globs ...glob) []int {
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
