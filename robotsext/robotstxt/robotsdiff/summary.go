package robotsdiff

import (
	"slices"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// summarised says of each find which of its paths have not changed in the same
// way, and leaves out those finds that say nothing beyond others.
func (s *search) summarised(found []find) []find {
	for i := range found {
		found[i].literals = found[i].glob.literals()
	}
	slices.SortStableFunc(found, func(a, b find) int { return a.literals - b.literals })
	wider := newShelf(len(found), func(i int) []glob { return []glob{found[i].glob} })
	var kept []int
	isKept := make([]bool, len(found))
	for i := range found {
		f := &found[i]
		f.except = s.exceptions(f)
		near := kept
		if len(kept) > 1000 { // fewer are gone through sooner than looked for
			near = s.near(wider, f.glob)
		}
		if slices.ContainsFunc(near, func(k int) bool { return isKept[k] && s.says(&found[k], f) }) {
			continue
		}
		if f.example = s.example(f); f.example != "" {
			isKept[i] = true
			kept = append(kept, i)
		}
		if !s.goesOn() {
			break
		}
	}
	list := make([]find, len(kept))
	for i, k := range kept {
		list[i] = found[k]
	}
	return list
}

// exceptions returns the parts of what a find matches that did not change as it
// has. There some other rule decides, at least on one side, so each lies where
// the find meets a rule.
func (s *search) exceptions(f *find) []glob {
	o, n := s.old.at(f.old).allows(), s.new.at(f.new).allows()
	other := func(was, is robotstxt.Verdict) bool { return was.Allowed != o || is.Allowed != n }
	parts := s.where(f.glob, other)
	for _, side := range []*side{&s.old, &s.new} {
		for _, i := range s.near(side.shelf, f.glob) {
			if !s.goesOn() {
				return parts
			}
			if side == &s.new && s.new.rules[i].kept {
				continue // it was among the old ones
			}
			for _, g := range side.rules[i].globs {
				parts = append(parts, s.otherwise(f.glob, g, other)...)
			}
		}
	}
	return widest(s, parts, s.covers)
}

// otherwise returns the parts that g has of f where the verdicts are others, or g
// itself when they are in all of them.
func (s *search) otherwise(f, g glob, other condition) []glob {
	var parts []glob
	all := true
	for _, part := range s.meet(f, g) {
		if s.covers(part, f) {
			return nil
		}
		found := s.where(part, other)
		all = all && slices.Equal(found, []glob{part})
		parts = append(parts, found...)
	}
	if all && len(parts) > 0 {
		return []glob{g}
	}
	return parts
}

// says reports whether f says nothing beyond k: it is the same change of paths
// that k matches too, and lies in no exception of k but where it makes the same
// one.
func (s *search) says(k, f *find) bool {
	s.steps--
	if s.new.at(k.new).allows() != s.new.at(f.new).allows() || !s.covers(k.glob, f.glob) {
		return false
	}
	for _, e := range k.except {
		for _, part := range s.meet(e, f.glob) {
			if !slices.ContainsFunc(f.except, func(g glob) bool { return s.covers(g, part) }) {
				return false
			}
		}
	}
	return true
}
