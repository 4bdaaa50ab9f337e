package report

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// circumstances are what may have kept the crawl from seeing everything.
type circumstances struct {
	unfinished   string // why the crawl may not have seen everything; empty: it has
	part         bool   // the directories of other workers are not known
	complete     bool   // those of all workers should be known, and have every URL
	unseen       int    // URLs that sitemaps list and that they do not have all the same
	trail        bool   // the entries of sitemaps were not written
	partTrail    int    // workers that have not written them, where others have
	linksUnknown bool   // the links of pages were not written
	onlySitemaps bool   // no link was followed
	unchanged    int    // pages that answered 304, and so without links
	withheld     int    // pages that ask not to be indexed, whose links are not written
	cut          int    // pages of which some links are not known
	unread       int    // sitemap files
	lost         int    // files that have lost something
	rejected     func(output.Reason) int
}

func (m *maker) circumstances() circumstances {
	state, _ := m.segments.over()
	shared := m.segments.shared()
	return circumstances{
		part:         shared && len(m.segments) == 1,
		complete:     shared && len(m.segments) > 1 && state == Finished,
		unfinished:   m.unfinished(),
		partTrail:    len(m.segments.those((*segment).lacksEntries)),
		linksUnknown: len(m.segments.those((*segment).lacksLinks)) > 0,
		onlySitemaps: len(m.segments.those(func(s *segment) bool { return s.state.Config.OnlySitemaps })) > 0,
		unchanged:    m.census.statuses[304],
		withheld:     m.directives.withheldLinks,
		cut:          m.census.missingLinks,
		lost:         len(m.segments.lost()),
		rejected:     m.rejections.total,
	}
}

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
	switch open := len(m.segments.those((*segment).open)); open {
	case 0:
		return ""
	case 1:
		return "of one worker it is not known whether it came to its end, nor all that it has left alone"
	default:
		return fmt.Sprintf("of %s it is not known whether they came to their end, nor all that they have left alone", quantity(open, "worker"))
	}
}

// onePart says that a report is not of the whole crawl.
const onePart = "the crawl may have had other workers, and what these found stands in directories of their own"

// lacking says that the directory of a worker may not have been named.
func (c *circumstances) lacking() string {
	return fmt.Sprintf("%s in a sitemap and neither fetched nor left alone, though the crawl is finished: the directory of a worker may be missing",
		subject(c.unseen, "URL", "is", "are"))
}

// doubts says why the list of a kind may be incomplete or wrong.
func (c *circumstances) doubts(kind string) []string {
	list := []string{}
	doubt := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	because := func(reason output.Reason, words string) {
		n := c.rejected(reason)
		doubt(n > 0, "%s: %s", quantity(n, "URL"), words)
	}
	doubt(c.unfinished != "", "%s", c.unfinished)
	doubt(c.part, "%s", onePart)
	doubt(c.lost > 0, "%s something of what the crawl wrote", subject(c.lost, "file", "has lost", "have lost"))
	doubt(c.unseen > 0, "%s", c.lacking())
	doubt(c.trail && kind == kindNotListed, "the entries of the sitemaps were not written down, so that a page that was found by a link first may be in one")
	doubt(c.trail && kind == kindFalseDate, "the entries of the sitemaps were not written down, nor their dates")
	doubt(c.trail && kind != kindNotListed && kind != kindFalseDate && kind != kindNotLinked,
		"the entries of the sitemaps were not written down: only what was first found in one is known to be listed")
	doubt(!c.trail && c.partTrail > 0 && kind != kindNotLinked,
		"the entries of the sitemaps that %s read were not written down", quantity(c.partTrail, "worker"))
	doubt(c.unread > 0 && kind != kindNotLinked, "%s could not be read", quantity(c.unread, "sitemap file"))
	if kind == kindFalseDate || kind == kindNotFetched {
		return list
	}
	because(output.Later, "their robots.txt could not be read, or their hosts allowed no request yet")
	because(output.Address, "their hosts are at addresses that are not public and not allowed")
	because(output.HostFull, "left out by the limit of pages of a host")
	because(output.TooManyHosts, "left out by the limit of hosts")
	because(output.SitemapFull, "sitemaps left out by the limit of their entries")
	because(output.TooLong, "left out for their length")
	because(output.Unchanged, "left out, since their sitemap says that they have not changed")
	if kind != kindNotLinked && kind != kindNotListed {
		return list
	}
	because(output.TooDeep, "left out by the limit of depth")
	because(output.Trap, "left out as URLs of a trap")
	because(output.Repeating, "left out, since their paths repeat")
	doubt(c.onlySitemaps, "no link was followed")
	doubt(c.cut > 0, "%s had more text or links than were read", quantity(c.cut, "page"))
	if kind != kindNotLinked {
		return list
	}
	doubt(c.linksUnknown, "the links of the pages were not written down")
	doubt(c.unchanged > 0, "%s had not changed since the last crawl and came without their links", quantity(c.unchanged, "page"))
	doubt(c.withheld > 0, "the links of %s that ask to be left out are not written down", quantity(c.withheld, "page"))
	return list
}
