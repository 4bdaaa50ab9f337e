package robotsdiff

import (
	"iter"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// glob is the pattern of a rule for computing intersections. A star is any text, even
// empty, and its end is the end of the URL: the rule /a is the glob /a*, the rule /a$
// is /a. No two stars are adjacent.
//
// A glob represents only those matching paths that begin with a slash, as all paths
// do.
type glob string

// globOf returns the glob of a pattern in canonical form.
func globOf(pattern string) glob {
	s, anchored := strings.CutSuffix(pattern, "$")
	if !anchored {
		s += "*"
	}
	for strings.Contains(s, "**") {
		s = strings.ReplaceAll(s, "**", "*")
	}
	return glob(s)
}

// pattern returns the glob as a rule path.
func (g glob) pattern() string {
	s, open := strings.CutSuffix(string(g), "*")
	switch {
	case !open:
		return s + "$"
	case s == "":
		return "*"
	}
	return s
}

// literals returns the number of octets other than stars. A glob never has fewer than
// a glob that contains it.
func (g glob) literals() int { return len(g) - strings.Count(string(g), "*") }

// prefix returns the common prefix of the paths that the glob matches.
func (g glob) prefix() string {
	s, _, _ := strings.Cut(string(g), "*")
	return s
}

// instance returns the path with fill in place of each star.
func (g glob) instance(fill string) string { return strings.ReplaceAll(string(g), "*", fill) }

// rooted returns globs that begin with a slash and are g together: a star at the
// beginning is a slash and something, or, before a slash, nothing.
func (g glob) rooted() []glob {
	if g == "" || g[0] == '/' {
		return []glob{g}
	}
	list := []glob{"/" + g}
	if len(g) > 1 && g[1] == '/' {
		list = append(list, g[1:])
	}
	return list
}

// kinds yields the rooted globs and those parts of them in which a star holds
// the question mark: after it rules are compared in another way too, and dots
// are no segments. An instance of a glob alone does not show that.
func (g glob) kinds() iter.Seq[glob] {
	return func(yield func(glob) bool) {
		list := g.rooted()
		for _, r := range list {
			if !yield(r) {
				return
			}
		}
		for _, r := range list {
			before, _, _ := strings.Cut(string(r), "?")
			for i := range len(before) {
				if before[i] == '*' && !yield(r[:i]+"*?*"+r[i+1:]) {
					return
				}
			}
		}
	}
}

// steps returns the cost of visiting the glob once.
func (g glob) steps() int { return 1 + len(g)/16 + 2*strings.Count(string(g), "*") }

// contains reports whether g matches every path that h matches, in their first form.
func (s *search) contains(g, h glob) bool {
	if s.steps--; !strings.HasPrefix(string(h), g.prefix()) && !strings.HasPrefix(string(h), "*") {
		return false
	}
	s.steps -= g.steps() + h.steps()
	for _, r := range h.rooted() {
		if !rulepath.Match(string(g), rulepath.Instance(string(r))) {
			return false
		}
	}
	return true
}

// covers is contains for both forms of a query (ROB-MAT-19). It returns false if it
// would take too many steps.
func (s *search) covers(g, h glob) bool {
	switch {
	case s.contains(g, h):
		return true
	case !strings.Contains(string(g), "?"):
		return false
	}
	escaped := glob(rulepath.EscapeQuery(string(g)))
	for k := range h.kinds() {
		if s.steps -= 2 * (escaped.steps() + k.steps()); !s.hasSteps() {
			return false
		}
		path := rulepath.Instance(string(k))
		if !rulepath.Match(string(g), path) && !rulepath.Match(string(escaped), rulepath.EscapeQuery(path)) {
			return false
		}
	}
	return true
}

// queryUnescapes undoes what rulepath.EscapeQuery does.
var queryUnescapes = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%27", "'")

// forms returns the glob of a pattern and, where it may match a query, those of
// its other forms: in what follows the question mark, or a star which may hold
// it, such characters may be escaped in the URL or not. When there are too many,
// it is one more than mostForms.
func forms(pattern string) []glob {
	list := []glob{globOf(pattern)}
	add := func(form string) {
		if g := globOf(form); !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	add(rulepath.EscapeQuery(pattern))
	undone := -1 // where the first escape is that the last form has no more
	for i := 0; i < len(pattern) && len(list) <= mostForms; i++ {
		if pattern[i] != '?' && pattern[i] != '*' {
			continue
		}
		if i > undone { // else the form would be the same
			if undone = nextEscape(pattern, i); undone < 0 {
				break
			}
			add(pattern[:i+1] + queryUnescapes.Replace(pattern[i+1:]))
		}
		if pattern[i] == '?' {
			break
		}
	}
	return list
}

// mostForms limits the forms of a pattern. Each star before such an escape makes one.
const mostForms = 20

// nextEscape returns where in a pattern, from i on, the next escape is of those
// that a query may do without, -1 if there is none.
func nextEscape(pattern string, i int) int {
	for ; i+3 <= len(pattern); i++ {
		if pattern[i] == '%' && len(queryUnescapes.Replace(pattern[i:i+3])) == 1 {
			return i
		}
	}
	return -1
}
