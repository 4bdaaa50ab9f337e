// Package prefixes knows which of many strings begin with which others.
package prefixes

import (
	"slices"
	"strings"
)

// A Set is strings that each know the longest other that they begin with, their parent. A
// text begins with the longest of them that Longest finds, with the parents of that, and
// with no other.
type Set struct {
	Keys   []string // sorted, each once
	parent []int32  // of each key
}

// New returns the set of keys, which may be in any order and repeat each other.
func New(keys []string) *Set {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	s := &Set{Keys: slices.Compact(keys)}
	s.parent = make([]int32, len(s.Keys))
	for i, key := range s.Keys {
		parent := i - 1
		for parent >= 0 && !strings.HasPrefix(key, s.Keys[parent]) {
			parent = s.Parent(parent)
		}
		s.parent[i] = int32(parent)
	}
	return s
}

// Parent returns the position of a key's parent, -1 if it begins with no other key.
func (s *Set) Parent(i int) int { return int(s.parent[i]) }

// Find returns the position of the first key that does not sort before text: that of text
// if it is a key. The keys that begin with text come in a row from there.
func (s *Set) Find(text string) int {
	i, _ := slices.BinarySearch(s.Keys, text)
	return i
}

// Longest returns the position of the longest key that text begins with, -1 if there is
// none. It compares text with as many keys as a search among them does, however deep they lie.
func (s *Set) Longest(text string) int {
	i := s.Find(text)
	if i == len(s.Keys) || s.Keys[i] != text {
		i--
	}
	if i < 0 {
		return i
	}
	common := commonPrefix(s.Keys[i], text)
	for i >= 0 && len(s.Keys[i]) > common {
		i = s.Parent(i)
	}
	return i
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
