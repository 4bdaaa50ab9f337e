package robotstxt

import (
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/rulepath"
)

// Cost estimates what Match costs for a path in canonical form, in steps of some
// ten nanoseconds. It is a handful, save where thousands of rules with stars have
// to be tried one after the other: whoever asks about a great many paths of files
// that may be hostile can keep account by it.
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

// estimate is Group.Cost of an index. One that has no forest yet will soon, unless
// its rules are few.
func (x *index) estimate(path string) int {
	if f := x.forest.Load(); f != nil {
		return f.cost(path)
	}
	return len(x.ranked) * (1 + len(path)/64)
}
