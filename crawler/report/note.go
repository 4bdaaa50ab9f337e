package report

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
)

// notes says what the report cannot say, and why.
func (m *model) notes() []string {
	notes := []string{}
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	several := len(m.dirs) > 1
	in := func(dir string) string { // a prefix where there are several directories
		if several {
			return dir + ": "
		}
		return ""
	}
	for _, l := range m.dirs.lost() {
		note("%s%s; the report lacks what is lost", in(l.Dir), l.String())
	}
	notes = append(notes, m.rejectedIncomplete()...)
	for _, d := range m.dirs.filter((*workerDir).lacksEntries) {
		note("%s%s is missing or empty: its sitemaps cannot be compared with the site", in(d.dir), results.Entries.Name())
	}
	for _, d := range m.dirs.filter((*workerDir).lacksLinks) {
		text := "the links of its pages are not known"
		if !several {
			text = "only the first page that links to each URL is known"
		}
		note("%s%s is missing or empty: %s", in(d.dir), results.Links.Name(), text)
	}
	if n := m.counters.unread; n > 0 {
		note("%s unchanged since the last crawl, without content: duplicates among them are not counted", subject(n, "page", "is", "are"))
	}
	if m.unknownLinks > 0 {
		note("the links of %s are not known and not counted", quantity(m.unknownLinks, "unchanged page"))
	}
	if n := m.directories.omitted; n > 0 {
		note("not all directories of %s are counted: there are too many, or more than %d levels", quantity(n, "URL"), maxLevels)
	}
	if m.oneOfSeveral() {
		note(otherWorkers)
	}
	if !several {
		return notes
	}
	if n := len(m.merger.latest[results.Pages.Name()]); n > 0 {
		note("%s in more than one directory: the last fetch counts", subject(n, "page", "is", "are"))
	}
	if missing := m.missingDirs(); missing != "" {
		note("%s", missing)
	}
	first := m.dirs[0]
	for _, d := range m.dirs[1:] {
		if a, b := first.state.Recrawls, d.state.Recrawls; a != b {
			note("%s holds %s, %s holds %s", first.dir, crawlName(a), d.dir, crawlName(b))
		}
		if a, b := first.state.Config.UserAgent, d.state.Config.UserAgent; a != b && a != "" && b != "" {
			note("the user agent in %s is %q, in %s %q", first.dir, a, d.dir, b)
		}
		// The address may have a password in it, and one server may have several.
		if a, b := first.state.Config.Frontier, d.state.Config.Frontier; a != b && a != "" && b != "" {
			note("the frontier has different addresses in %s and %s: check that both are the same server", first.dir, d.dir)
		}
	}
	return notes
}

func crawlName(recrawls int) string {
	if recrawls == 0 {
		return "the first crawl"
	}
	return fmt.Sprintf("recrawl %d", recrawls)
}
