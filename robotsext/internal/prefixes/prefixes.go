// Package prefixes finds the strings of a set that a text begins with.
package prefixes

import (
	"slices"
	"strings"
)

// Set is a set of strings, its keys. The parent of a key is the longest other key that it
// begins with. A text begins with the key that Longest finds, with its parent and so on, and
// with no other key.
type Set struct {
	Keys   []string // sorted, without duplicates
	parent []int32  // of each key
}

// New returns the set of keys, which may have any order and duplicates.
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

// Parent returns the position of a key's parent, or -1 if it has none.
func (s *Set) Parent(i int) int { return int(s.parent[i]) }

// Find returns the position of the first key that does not sort before text. The keys that
// begin with text follow from there.
func (s *Set) Find(text string) int {
	i, _ := slices.BinarySearch(s.Keys, text)
	return i
}

// Longest returns the position of the longest key that text begins with, or -1. It takes a
// binary search, regardless of the number of parents.
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
