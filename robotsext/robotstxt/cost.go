package robotstxt

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// Cost estimates the time of Match for a canonical path, in steps of about ten
// nanoseconds. It is usually below ten steps. It is high if thousands of rules with
// wildcards must be tried one by one. Use it to limit the work on many paths of
// hostile files.
func (g *Group) Cost(pathAndQuery string) int {
	steps := 2 + len(pathAndQuery)/8
	if g.set == nil {
		return steps
	}
	c := g.compiled()
	steps += c.index.estimate(pathAndQuery)
	if strings.Contains(pathAndQuery, "?") && !g.file.google.has(googleQuery) {
		form := rulepath.EscapeQuery(pathAndQuery)
		steps += c.query.changed.of(c.query.ranked, changes).estimate(form)
		steps += c.query.meeting.of(c.query.ranked, meetsEscapes).estimate(form)
	}
	return steps
}

// estimate implements Group.Cost for one index. An index with many rules and no prefix tree
// yet counts as one with a prefix tree, which it builds soon.
func (x *index) estimate(path string) int {
	if f := x.tree.Load(); f != nil {
		return f.cost(path)
	}
	return len(x.ranked) * (1 + len(path)/64)
}
