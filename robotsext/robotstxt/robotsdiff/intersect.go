package robotsdiff

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// maxIntersections limits the intersections of two patterns. Two patterns with three
// stars each have a few dozen at most.
const maxIntersections = 200

// intersect returns globs that together match the paths that both a and b match. None
// is contained in another. For /*x and /a*y they are /a*x*y and /a*y*x, and overlaps
// of the two.
func (s *search) intersect(a, b glob) []glob {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] && a[n] != '*' {
		n++
	}
	if s.steps -= 1 + n/16; n < len(a) && n < len(b) && a[n] != '*' && b[n] != '*' {
		return nil // the usual case
	}
	switch {
	case s.contains(a, b):
		return []glob{b}
	case s.contains(b, a):
		return []glob{a}
	case !s.hasSteps():
		return nil
	}
	s.steps -= 100
	m := intersection{search: s, a: string(a[n:]), b: string(b[n:]), known: map[[2]int][]rest{}}
	var globs []glob
	for _, r := range m.from(0, 0) {
		globs = append(globs, a[:n]+glob(r))
	}
	return widest(s, globs, s.contains)
}

// intersection is the state of one call of intersect.
type intersection struct {
	*search
	a, b  string
	known map[[2]int][]rest // by position in a and b
}

// rest is the end of a glob, which may begin with any character.
type rest string

func (r rest) literals() int { return glob(r).literals() }

func (m *intersection) contains(r, s rest) bool {
	m.steps -= glob(r).steps() + glob(s).steps()
	return rulepath.Match(string(r), rulepath.Instance(string(s)))
}

// from returns the intersections of a from i on and b from j on.
func (m *intersection) from(i, j int) []rest {
	at := [2]int{i, j}
	if list, ok := m.known[at]; ok {
		return list
	}
	// Counting the steps before the recursion limits its depth.
	if m.steps -= 10 + (len(m.a)-i+len(m.b)-j)/16; !m.hasSteps() {
		return nil
	}
	list := widest(m.search, m.lay(m.a[i:], m.b[j:], i, j), m.contains)
	if len(list) > maxIntersections {
		list, m.gaveUp = list[:maxIntersections], true
	}
	m.known[at] = list
	return list
}

func (m *intersection) lay(a, b string, i, j int) []rest {
	switch {
	case a == "*":
		return []rest{rest(b)}
	case b == "*":
		return []rest{rest(a)}
	case a == "" || b == "":
		if a == b {
			return []rest{""}
		}
		return nil
	case a[0] == '*' && b[0] == '*':
		// The star that matches less ends first.
		return m.prefixed("*", slices.Concat(m.from(i+1, j), m.from(i, j+1)))
	case a[0] == '*':
		return m.slide(a[1], b, func(n int) []rest { return m.from(i+1, j+n) }, func(n int) []rest { return m.from(i, j+n) })
	case b[0] == '*':
		return m.slide(b[1], a, func(n int) []rest { return m.from(i+n, j+1) }, func(n int) []rest { return m.from(i+n, j) })
	case a[0] != b[0]:
		return nil
	}
	n := 1
	for n < len(a) && n < len(b) && a[n] == b[n] && a[n] != '*' {
		n++
	}
	return m.prefixed(a[:n], m.from(i+n, j+n))
}

// slide intersects a star and the character next after it with text. The star ends
// within the text before the next star, or continues after it.
func (m *intersection) slide(next byte, text string, ends, hasSteps func(n int) []rest) []rest {
	run, _, _ := strings.Cut(text, "*")
	list := m.prefixed(run, hasSteps(len(run)))
	for n := range len(run) {
		if run[n] == next && m.hasSteps() {
			list = append(list, m.prefixed(run[:n], ends(n))...)
		}
	}
	return list
}

// prefixed adds prefix to each element of list, without two adjacent stars.
func (m *intersection) prefixed(prefix string, list []rest) []rest {
	var joined []rest
	for _, r := range list {
		s := string(r)
		if m.steps -= 2 + len(prefix) + len(s); !m.hasSteps() {
			return nil
		}
		if strings.HasSuffix(prefix, "*") {
			s = strings.TrimPrefix(s, "*")
		}
		joined = append(joined, rest(prefix+s))
	}
	return joined
}

// widest removes the globs that others contain.
func widest[G interface {
	~string
	literals() int
}](s *search, globs []G, contains func(g, h G) bool) []G {
	if len(globs) < 2 {
		return globs
	}
	for _, g := range globs {
		s.steps -= 2 + len(g)/16 // the factor log(len(g)) is small
	}
	slices.SortStableFunc(globs, func(a, b G) int { return a.literals() - b.literals() })
	var kept []G
	for _, g := range globs {
		if !s.hasSteps() {
			break
		}
		if !slices.ContainsFunc(kept, func(k G) bool { return contains(k, g) }) {
			kept = append(kept, g)
		}
	}
	return kept
}
