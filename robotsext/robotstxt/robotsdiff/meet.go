package robotsdiff

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// mostMeets bounds the ways in which two patterns are laid over each other. Two
// with three stars each have a few dozen at most; only hostile ones come near.
const mostMeets = 200

// meet returns globs that together match what both a and b do, none of them
// contained in another. Those of /*x and /a*y are /a*x*y, /a*y*x and, since one
// may begin before the other ends, whatever they can share.
func (s *search) meet(a, b glob) []glob {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] && a[n] != '*' {
		n++
	}
	if s.steps -= 1 + n/16; n < len(a) && n < len(b) && a[n] != '*' && b[n] != '*' {
		return nil // by far the most
	}
	switch {
	case s.contains(a, b):
		return []glob{b}
	case s.contains(b, a):
		return []glob{a}
	case !s.goesOn():
		return nil
	}
	s.steps -= 100
	m := meeting{search: s, a: string(a[n:]), b: string(b[n:]), known: map[[2]int][]rest{}}
	var globs []glob
	for _, r := range m.from(0, 0) {
		globs = append(globs, a[:n]+glob(r))
	}
	return widest(s, globs, s.contains)
}

// A meeting lays two globs over each other.
type meeting struct {
	*search
	a, b  string
	known map[[2]int][]rest // by position in a and b
}

// A rest is what a glob ends in, which may begin with anything.
type rest string

func (r rest) literals() int { return glob(r).literals() }

func (m *meeting) contains(r, s rest) bool {
	m.steps -= glob(r).steps() + glob(s).steps()
	return rulepath.Match(string(r), rulepath.Instance(string(s)))
}

// from returns what a from i on and b from j on come to together.
func (m *meeting) from(i, j int) []rest {
	at := [2]int{i, j}
	if list, ok := m.known[at]; ok {
		return list
	}
	// This is charged before it goes deeper, so that it never goes too deep.
	if m.steps -= 10 + (len(m.a)-i+len(m.b)-j)/16; !m.goesOn() {
		return nil
	}
	list := widest(m.search, m.lay(m.a[i:], m.b[j:], i, j), m.contains)
	if len(list) > mostMeets {
		list, m.gaveUp = list[:mostMeets], true
	}
	m.known[at] = list
	return list
}

func (m *meeting) lay(a, b string, i, j int) []rest {
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
		// The star that stands for less ends first.
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

// slide lays a star, and next which comes after it, over text. The star ends
// within the text before the next star, or goes on behind it.
func (m *meeting) slide(next byte, text string, ends, goesOn func(n int) []rest) []rest {
	run, _, _ := strings.Cut(text, "*")
	list := m.prefixed(run, goesOn(len(run)))
	for n := range len(run) {
		if run[n] == next && m.goesOn() {
			list = append(list, m.prefixed(run[:n], ends(n))...)
		}
	}
	return list
}

// prefixed puts prefix before each of list, without two stars side by side.
func (m *meeting) prefixed(prefix string, list []rest) []rest {
	var joined []rest
	for _, r := range list {
		s := string(r)
		if m.steps -= 2 + len(prefix) + len(s); !m.goesOn() {
			return nil
		}
		if strings.HasSuffix(prefix, "*") {
			s = strings.TrimPrefix(s, "*")
		}
		joined = append(joined, rest(prefix+s))
	}
	return joined
}

// widest leaves out the globs that are contained in others.
func widest[G interface {
	~string
	literals() int
}](s *search, globs []G, contains func(g, h G) bool) []G {
	if len(globs) < 2 {
		return globs
	}
	for _, g := range globs {
		s.steps -= 2 + len(g)/16 // times the logarithm of their number, of which there are few or short ones
	}
	slices.SortStableFunc(globs, func(a, b G) int { return a.literals() - b.literals() })
	var kept []G
	for _, g := range globs {
		if !s.goesOn() {
			break
		}
		if !slices.ContainsFunc(kept, func(k G) bool { return contains(k, g) }) {
			kept = append(kept, g)
		}
	}
	return kept
}
