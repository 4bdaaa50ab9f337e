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

// rooted returns globs that begin with a slash and together match the paths of g. A star at
// the beginning becomes a slash and a star, or is dropped before a slash.
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

// kinds yields the rooted globs, and their parts in which a star matches the question mark.
// After a question mark, rules are also compared in another form, and dots are not segments.
// An instance of a glob does not cover that.
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

// queryUnescapes reverses rulepath.EscapeQuery.
var queryUnescapes = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%27", "'")

// forms returns the glob of a pattern, and of its other forms if it may match a query. After
// the question mark, or after a star that may match it, the characters of
// rulepath.EscapeQuery may be escaped in the URL or not. If there are too many forms, it
// returns mostForms+1.
func forms(pattern string) []glob {
	list := []glob{globOf(pattern)}
	add := func(form string) {
		if g := globOf(form); !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	add(rulepath.EscapeQuery(pattern))
	undone := -1 // position of the first escape that the last form does not have
	for i := 0; i < len(pattern) && len(list) <= mostForms; i++ {
		if pattern[i] != '?' && pattern[i] != '*' {
			continue
		}
		if i > undone { // otherwise the form is the same
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

// nextEscape returns the position of the next escape from i on that is optional in a query,
// or -1.
func nextEscape(pattern string, i int) int {
	for ; i+3 <= len(pattern); i++ {
		if pattern[i] == '%' && len(queryUnescapes.Replace(pattern[i:i+3])) == 1 {
			return i
		}
	}
	return -1
}
