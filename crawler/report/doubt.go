package report

import (
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// unfinished says why the crawl may not have seen everything; empty: it has.
func (m *maker) unfinished() string {
	switch state, e := m.segments.over(); state {
	case Unknown:
		return "it is not known whether the crawl came to its end"
	case Running:
		return "the crawl is still running"
	case Stopped:
		return "the crawl is not finished: " + quantity(e.Left, "URL") + " had still to be fetched"
	}
	switch open := len(m.segments.those((*segment).open)); {
	case open == 0:
		return ""
	case len(m.segments) == 1:
		return m.unlisted()[0]
	case open == 1:
		return "of one worker it is not known whether it came to its end, nor all that it has left alone"
	default:
		return fmt.Sprintf("of %s it is not known whether they came to their end, nor all that they have left alone", quantity(open, "worker"))
	}
}

// unlisted says why more URLs were skipped than the files list, besides what these have lost;
// empty: they list all.
func (m *maker) unlisted() []string {
	list := []string{}
	for _, s := range m.segments.those((*segment).open) {
		worker, state := "the crawl", "was killed or failed"
		if len(m.segments) > 1 {
			worker = s.dir + ": its worker"
		}
		switch s.progress() {
		case Running:
			state = "is still running"
		case Unknown:
			state = "is still running or was killed"
		}
		list = append(list, fmt.Sprintf("%s %s: the URLs that it skipped are not all known until it ends", worker, state))
	}
	for _, s := range m.segments.those(func(s *segment) bool { return s.state.Unlisted }) {
		list = append(list, fmt.Sprintf("%s: more URLs were skipped than are listed in %s", s.dir, crawldir.RejectedFile))
	}
	return list
}

// onePart says that a report is not of the whole crawl.
const onePart = "the crawl may have had other workers, and what these found stands in directories of their own"

// lacking says that the directory of a worker may not have been named; empty: all were.
func (m *maker) lacking() string {
	n := m.reconciler.unseen
	if state, _ := m.segments.over(); n == 0 || len(m.segments) == 1 || !m.segments.shared() || state != Finished {
		return ""
	}
	return fmt.Sprintf("%s in a sitemap and neither fetched nor left alone, though the crawl is finished: the directory of a worker may be missing",
		subject(n, "URL", "is", "are"))
}

// part reports whether the directories of other workers are not known.
func (m *maker) part() bool { return len(m.segments) == 1 && m.segments.shared() }

// doubts says why the list of a kind may be incomplete or wrong.
func (m *maker) doubts(kind string) []string {
	all, trail := m.segments, m.reconciler.trail
	list := []string{}
	doubt := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	because := func(reason output.Reason, words string) {
		n := m.rejections.total(reason)
		doubt(n > 0, "%s: %s", quantity(n, "URL"), words)
	}
	unfinished, lacking := m.unfinished(), m.lacking()
	lost, unread, untold := len(all.lost()), m.sitemaps.unread(), len(all.those((*segment).lacksEntries))
	doubt(unfinished != "", "%s", unfinished)
	doubt(m.part(), onePart)
	doubt(lost > 0, "%s something of what the crawl wrote", subject(lost, "file", "has lost", "have lost"))
	doubt(lacking != "", "%s", lacking)
	switch {
	case trail && kind == kindNotListed:
		doubt(true, "the entries of the sitemaps were not written down, so that a page that was found by a link first may be in one")
	case trail && kind == kindFalseDate:
		doubt(true, "the entries of the sitemaps were not written down, nor their dates")
	case trail && kind != kindNotLinked:
		doubt(true, "the entries of the sitemaps were not written down: only what was first found in one is known to be listed")
	case kind != kindNotLinked:
		doubt(untold > 0, "the entries of the sitemaps that %s read were not written down", quantity(untold, "worker"))
	}
	doubt(unread > 0 && kind != kindNotLinked, "%s could not be read", quantity(unread, "sitemap file"))
	if kind == kindFalseDate || kind == kindNotFetched {
		return list
	}
	because(output.RobotsUnreachable, "their robots.txt could not be fetched")
	because(output.Deferred, "their hosts allowed no request yet")
	because(output.BlockedAddress, "their hosts are at addresses that are not public and not allowed")
	because(output.MaxHostPages, "left out by the limit of pages of a host")
	because(output.MaxHosts, "left out by the limit of hosts")
	because(output.MaxSitemapEntries, "sitemaps left out by the limit of their entries")
	because(output.TooLong, "left out for their length")
	because(output.Unchanged, "left out, since their sitemap says that they have not changed")
	if kind != kindNotLinked && kind != kindNotListed {
		return list
	}
	because(output.MaxDepth, "left out by the limit of depth")
	because(output.Trap, "left out as URLs of a trap")
	because(output.RepeatedSegment, "left out, since their paths repeat")
	cut, withheld := m.census.missingLinks, m.directives.withheldLinks
	doubt(slices.ContainsFunc(all, func(s *segment) bool { return s.state.Config.OnlySitemaps }), "no link was followed")
	doubt(cut > 0, "%s had more text or links than were read", quantity(cut, "page"))
	if kind != kindNotLinked {
		return list
	}
	doubt(m.reconciler.linksUnknown, "the links of the pages were not written down")
	doubt(m.lackLinks > 0, "%s had not changed since the last crawl and came without their links", quantity(m.lackLinks, "page"))
	doubt(withheld > 0, "the links of %s that ask to be left out are not written down", quantity(withheld, "page"))
	return list
}
