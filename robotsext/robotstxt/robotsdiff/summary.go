package robotsdiff

import (
	"slices"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// summarize sets the exceptions of each find, and removes the finds that others
// include.
func (s *search) summarize(found []find) []find {
	for i := range found {
		found[i].literals = found[i].glob.literals()
	}
	slices.SortStableFunc(found, func(a, b find) int { return a.literals - b.literals })
	wider := newGlobIndex(len(found), func(i int) []glob { return []glob{found[i].glob} })
	var kept []int
	isKept := make([]bool, len(found))
	for i := range found {
		f := &found[i]
		f.except = s.exceptions(f)
		near := kept
		if len(kept) > 1000 { // a linear search is faster for fewer
			near = s.near(wider, f.glob)
		}
		if slices.ContainsFunc(near, func(k int) bool { return isKept[k] && s.includes(&found[k], f) }) {
			continue
		}
		if f.example = s.example(f); f.example != "" {
			isKept[i] = true
			kept = append(kept, i)
		}
		if !s.hasSteps() {
			break
		}
	}
	list := make([]find, len(kept))
	for i, k := range kept {
		list[i] = found[k]
	}
	return list
}

// exceptions returns the parts of a find that did not change in the same way. There
// some other rule decides on at least one side, so each part is an intersection with a
// rule.
func (s *search) exceptions(f *find) []glob {
	o, n := s.old.at(f.old).allows(), s.new.at(f.new).allows()
	other := func(was, is robotstxt.Verdict) bool { return was.Allowed != o || is.Allowed != n }
	parts := s.where(f.glob, other)
	for _, side := range []*side{&s.old, &s.new} {
		for _, i := range s.near(side.index, f.glob) {
			if !s.hasSteps() {
				return parts
			}
			if side == &s.new && s.new.rules[i].kept {
				continue // already checked on the old side
			}
			for _, g := range side.rules[i].globs {
				parts = append(parts, s.otherwise(f.glob, g, other)...)
			}
		}
	}
	return widest(s, parts, s.covers)
}

// otherwise returns the parts of g in f with other verdicts, or g itself if all have.
func (s *search) otherwise(f, g glob, other condition) []glob {
	var parts []glob
	all := true
	for _, part := range s.intersect(f, g) {
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

// includes reports whether k makes f redundant: k has the same change and matches the
// paths of f, and each exception of k in f is an exception of f too.
func (s *search) includes(k, f *find) bool {
	s.steps--
	if s.new.at(k.new).allows() != s.new.at(f.new).allows() || !s.covers(k.glob, f.glob) {
		return false
	}
	for _, e := range k.except {
		for _, part := range s.intersect(e, f.glob) {
			if !slices.ContainsFunc(f.except, func(g glob) bool { return s.covers(g, part) }) {
				return false
			}
		}
	}
	return true
}
