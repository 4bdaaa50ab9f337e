package report

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
)

// notes says what the report cannot say, and why.
func (m *maker) notes() []string {
	notes := []string{}
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	all := m.segments
	for _, l := range all.lost() {
		dir := ""
		if l.Dir != "" {
			dir = l.Dir + ": "
		}
		note("%s%s: what is lost is missing in this report", dir, l.String())
	}
	notes = append(notes, m.unlisted()...)
	if m.reconciler.trail && m.sitemaps.pages > 0 {
		note("%s is missing or empty, so that the entries of sitemaps are known only as far as they were the first way to a URL", crawldir.EntriesFile)
	}
	if m.reconciler.linksUnknown && len(all) == 1 {
		note("%s is missing or empty, so that of the pages that link to a URL only the one is known by which it was found", crawldir.LinksFile)
	}
	if n := m.census.statuses[304]; n > 0 {
		note("%s had not changed since the last crawl and came without content; duplicates there are not counted", quantity(n, "page"))
	}
	if m.lackLinks > 0 {
		note("of %s the links are not known and not counted", quantity(m.lackLinks, "unchanged page"))
	}
	if m.part() {
		note(onePart)
	}
	if len(all) == 1 {
		return notes
	}
	if n := m.union.pages; n > 0 {
		note("%s in more than one directory: of each the line of the last fetch counts", subject(n, "page", "stands", "stand"))
	}
	if lacking := m.lacking(); lacking != "" {
		note("%s", lacking)
	}
	if !m.reconciler.trail {
		for _, s := range all.those((*segment).lacksEntries) {
			note("%s: %s is missing, so that the entries of the sitemaps that its worker read are not known", s.dir, crawldir.EntriesFile)
		}
	}
	for _, s := range all.those((*segment).lacksLinks) {
		note("%s: %s is missing or empty, so that it is not known what its pages link to", s.dir, crawldir.LinksFile)
	}
	first := all[0]
	for _, s := range all[1:] {
		if a, b := first.state.Round, s.state.Round; a != b {
			note("%s is of %s, %s of %s", first.dir, roundText(a), s.dir, roundText(b))
		}
		if a, b := first.state.Config.UserAgent, s.state.Config.UserAgent; a != b && a != "" && b != "" {
			note("the worker of %s called itself %q, that of %s %q", first.dir, a, s.dir, b)
		}
		// The address may have a password in it, and one server may have several.
		if a, b := first.state.Config.Frontier, s.state.Config.Frontier; a != b && a != "" && b != "" {
			note("the workers of %s and %s name the frontier by different addresses: these have to be of one server", first.dir, s.dir)
		}
	}
	return notes
}

func roundText(round int) string {
	if round == 0 {
		return "the first crawl"
	}
	return fmt.Sprintf("recrawl %d", round)
}
