package robotsdiff

import (
	"iter"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// search finds the paths on which two groups differ.
type search struct {
	old, new side
	fresh    string // a character that no rule contains
	queries  bool   // some rule has a second form for queries
	steps    int    // remaining; below zero the search stops
	gaveUp   bool   // the search was incomplete
}

// side is the group of one file.
type side struct {
	group *robotstxt.Group
	rules []rule     // by precedence, without those that never decide
	index *globIndex // of the rules
	size  int        // steps to visit all rules once
	cut   bool       // some rule has too many forms
}

// rule is a rule that decides for some path.
type rule struct {
	*robotstxt.Rule

	globs   []glob // its forms; the first is the rule itself
	length  int
	allowed bool
	kept    bool // the other side has the same rule
}

// none is the index for "no rule matches".
const none = -1

func newSide(group *robotstxt.Group) side {
	s := side{group: group}
	seen := map[glob]bool{}
	for _, r := range group.Ranked() {
		globs := forms(r.Canonical)
		if g := globs[0]; seen[g] || g == "" || g[0] != '/' && g[0] != '*' {
			continue // an earlier rule decides, or the rule matches no path
		}
		seen[globs[0]] = true
		if len(globs) > mostForms {
			globs, s.cut = globs[:mostForms], true
		}
		for _, g := range globs {
			s.size += 2 + len(g)/8
		}
		// Google's parser ignores a rule with an empty path.
		s.rules = append(s.rules, rule{Rule: r.Rule, globs: globs, length: r.Length, allowed: r.Allow || r.Length == 0})
	}
	s.index = newGlobIndex(len(s.rules), func(i int) []glob { return s.rules[i].globs })
	return s
}

// identity returns the same text for rules with the same paths, length and verdict.
type identity struct {
	glob    glob
	length  int
	allowed bool
}

func (r *rule) identity() identity { return identity{r.globs[0], r.length, r.allowed} }

// compareKept marks the rules that both sides have.
func (s *search) compareKept() {
	s.steps -= 10 * (s.old.size + s.new.size)
	has := map[identity]bool{}
	for i := range s.old.rules {
		has[s.old.rules[i].identity()] = true
	}
	both := map[identity]bool{}
	for i := range s.new.rules {
		r := &s.new.rules[i]
		r.kept = has[r.identity()]
		both[r.identity()] = r.kept
	}
	for i := range s.old.rules {
		r := &s.old.rules[i]
		r.kept = both[r.identity()]
	}
}

// at returns a rule of the side, or nil for none.
func (s *side) at(i int) *rule {
	if i == none {
		return nil
	}
	return &s.rules[i]
}

func (r *rule) allows() bool { return r == nil || r.allowed }

// line returns the robotstxt rule, or nil.
func (r *rule) line() *robotstxt.Rule {
	if r == nil {
		return nil
	}
	return r.Rule
}

// stays reports whether the other side has the rule too.
func (r *rule) stays() bool { return r == nil || r.kept }

// hasSteps reports whether steps remain.
func (s *search) hasSteps() bool {
	s.gaveUp = s.gaveUp || s.steps < 0
	return s.steps >= 0
}

// find is a pattern. One rule of each side decides on its paths, with different verdicts.
type find struct {
	glob     glob
	literals int    // of the glob
	old, new int    // rules
	except   []glob // parts without this change
	example  string
}

// finds returns the changed patterns.
//
// A path changes its verdict if the rules that decide on the two sides have different
// verdicts. So finds takes each pair of such rules, and tests whether they decide for
// a path that both match. Among the paths of an intersection, its instance is matched
// by the fewest other rules: a rule that matches the instance matches them all. So it
// tests only the instance.
//
// A pair of rules that both sides have cannot decide for a path, because the one with
// the higher rank is the same on both sides. For an edited file few pairs remain.
func (s *search) finds() []find {
	s.gaveUp = s.old.cut || s.new.cut
	s.compareKept()
	s.survey()
	rest := s.steps / 2 // reserved for the summary
	s.steps -= rest
	var found []find
	look := func(o, n int) {
		was, is := s.old.at(o), s.new.at(n)
		if s.steps--; was.allows() == is.allows() || was.stays() && is.stays() {
			return
		}
		for _, g := range s.intersections(was, is) {
			for _, part := range s.where(g, s.decidedBy(was, is)) {
				found = append(found, find{glob: part, old: o, new: n})
			}
		}
	}
	for o := 0; o < len(s.old.rules) && s.hasSteps(); o++ {
		look(o, none)
	}
	for n := 0; n < len(s.new.rules) && s.hasSteps(); n++ {
		look(none, n)
		for _, o := range s.near(s.old.index, s.new.rules[n].globs...) {
			if s.hasSteps() {
				look(o, n)
			}
		}
	}
	s.steps = max(s.steps, 0) + rest
	return s.summarize(found)
}

// near returns the items of an index that may intersect one of the globs.
func (s *search) near(index *globIndex, globs ...glob) []int {
	items := index.near(globs...)
	s.steps -= 1 + 8*len(items) // for collecting and sorting them
	return items
}

// intersections returns the paths that two rules both match, in all their forms.
func (s *search) intersections(a, b *rule) []glob {
	switch {
	case a == nil:
		return b.globs
	case b == nil:
		return a.globs
	}
	if len(a.globs) == 1 && len(b.globs) == 1 {
		return s.intersect(a.globs[0], b.globs[0])
	}
	var list []glob
	for _, g := range a.globs {
		for _, h := range b.globs {
			for _, m := range s.intersect(g, h) {
				if !slices.Contains(list, m) {
					list = append(list, m)
				}
			}
		}
	}
	return list
}

// condition is a test of the verdicts of both sides.
type condition func(was, is robotstxt.Verdict) bool

// decidedBy returns the condition that these two rules decide.
func (s *search) decidedBy(o, n *rule) condition {
	return func(was, is robotstxt.Verdict) bool { return was.Rule == o.line() && is.Rule == n.line() }
}

// where returns the parts of g for which a condition holds, or g itself if it holds for all.
func (s *search) where(g glob, holds condition) []glob {
	var parts []glob
	all := true
	kinds := slices.Values(g.rooted())
	if s.queries {
		kinds = g.kinds()
	}
	for k := range kinds {
		if !s.hasSteps() {
			break
		}
		switch ok, path := s.ask(k.instance(s.fresh), holds); {
		case !path:
		case ok:
			parts = append(parts, k)
		default:
			all = false
		}
	}
	if all && len(parts) > 0 {
		return []glob{g}
	}
	return widest(s, parts, s.contains)
}

// ask reports whether a condition holds for a path. It returns false for a path that is not
// in canonical form, because no URL is compared in that form.
func (s *search) ask(path string, holds condition) (ok, isPath bool) {
	if s.steps -= 20 + 2*len(path); robotstxt.Canonical(path) != path {
		return false, false
	}
	s.steps -= s.old.group.Cost(path) + s.new.group.Cost(path)
	return holds(s.old.group.Match(path), s.new.group.Match(path)), true
}

// example returns a path of a find, preferably a natural one, or none if the search gave up.
func (s *search) example(f *find) string {
	decided := s.decidedBy(s.old.at(f.old), s.new.at(f.new))
	asked := 0
	for path := range f.paths(s.fresh) {
		if ok, _ := s.ask(path, decided); ok {
			return path
		}
		if asked++; asked > likely && !s.hasSteps() {
			break
		}
	}
	return ""
}

// likely is the number of paths of a find that are tested even without remaining steps.
const likely = 6

// paths yields paths of a find, the most natural ones first.
func (f *find) paths(fresh string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, r := range f.glob.rooted() {
			closed, _ := strings.CutSuffix(string(r), "*")
			if !yield(glob(closed).instance("x")) || !yield(r.instance("x")) {
				return
			}
		}
		for k := range f.glob.kinds() {
			if !yield(k.instance(fresh)) {
				return
			}
		}
	}
}

// fillers are the characters that may replace a star. None is special in a URL or part
// of an escape.
const fillers = "zqjkxwvyuhgmnoprstliZQJKXWVYUHGMNOPRSTLI~!()+,;=-_&"

// survey finds a character that no rule contains, and whether queries need a second
// form.
func (s *search) survey() {
	var used [256]bool
	for _, rules := range [][]rule{s.old.rules, s.new.rules} {
		for i := range rules {
			globs := rules[i].globs
			s.queries = s.queries || len(globs) > 1 || strings.Contains(string(globs[0]), "/.")
			for _, g := range globs {
				for j := range len(g) {
					used[g[j]] = true
				}
			}
		}
	}
	for i := range len(fillers) {
		if !used[fillers[i]] {
			s.fresh = fillers[i : i+1]
			return
		}
	}
	s.fresh, s.gaveUp = fillers[:1], true // every character occurs somewhere
}
