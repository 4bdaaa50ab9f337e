package lookup

import (
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// sameMeaning reports whether two records have the same meaning for every crawler: the
// same outcome, sitemaps, and rules and fields for each agent. Order, comments, the
// case of agents and repetition do not matter.
func sameMeaning(a, b *record.Record) bool {
	return a.Outcome == b.Outcome &&
		(a.Outcome != record.OutcomeRules || a.File == b.File || slices.Equal(meaning(a.File), meaning(b.File)))
}

// meaning returns a sorted list of what f says: agents, their rules and fields, and sitemaps. No
// part of a line of f contains the separator.
func meaning(f *robotstxt.File) []string {
	var said []string
	for _, s := range f.Sitemaps {
		said = append(said, "\n"+s.URL)
	}
	for _, agent := range f.Agents() {
		agent = strings.ToLower(agent)
		said = append(said, agent)
		group := f.Group(agent)
		for _, rule := range group.Rules() {
			said = append(said, agent+"\n"+rule.String())
		}
		for _, e := range group.Extensions() {
			said = append(said, agent+"\n"+strings.ToLower(e.Field)+": "+e.Value)
		}
	}
	slices.Sort(said)
	return slices.Compact(said)
}
