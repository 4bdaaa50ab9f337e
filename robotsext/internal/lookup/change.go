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
	if a.Outcome != b.Outcome {
		return false
	}
	if a.Outcome != record.OutcomeRules || a.File == b.File {
		return true
	}
	agents := agentsOf(a.File)
	if !slices.Equal(agents, agentsOf(b.File)) || !slices.Equal(sitemapsOf(a.File), sitemapsOf(b.File)) {
		return false
	}
	for _, agent := range agents {
		if !slices.Equal(rulesFor(agent, a.File), rulesFor(agent, b.File)) {
			return false
		}
	}
	return true
}

func agentsOf(f *robotstxt.File) []string {
	var agents []string
	for _, a := range f.Agents() {
		agents = append(agents, strings.ToLower(a))
	}
	return sortedSet(agents)
}

func sitemapsOf(f *robotstxt.File) []string {
	var urls []string
	for _, s := range f.Sitemaps {
		urls = append(urls, s.URL)
	}
	return sortedSet(urls)
}

func rulesFor(agent string, f *robotstxt.File) []string {
	g := f.Group(agent)
	var lines []string
	for _, rule := range g.Rules() {
		lines = append(lines, rule.String())
	}
	for _, e := range g.Extensions() {
		lines = append(lines, strings.ToLower(e.Field)+": "+e.Value)
	}
	return sortedSet(lines)
}

func sortedSet(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}
