package report

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// circumstances are what keeps a crawl from having seen all there is.
type circumstances struct {
	unfinished   string // why it is not known that the crawl saw everything; empty: it did
	part         bool   // the directories of other workers are not known
	complete     bool   // those of all workers ought to be, and these to have dealt with all
	unseen       int    // URLs that sitemaps list and that they have not dealt with all the same
	trail        bool   // the entries of sitemaps were not written down
	partTrail    int    // nor those of the sitemaps that so many workers have read, where others' were
	linksUnknown bool   // the links of pages were not
	onlySitemaps bool   // no link was followed
	unchanged    int    // pages that answered 304, and so told no links
	withheld     int    // pages that ask to be left out, whose links are not written down
	cut          int    // pages whose links are not all known
	unread       int    // sitemap files
	lost         int    // files that have lost something
	reasons      map[output.Reason]int
}

func (m *maker) circumstances() circumstances {
	state, _ := m.segments.over()
	c := circumstances{
		part:         m.segments.shared() && len(m.segments) == 1,
		complete:     m.segments.shared() && len(m.segments) > 1 && state == Finished,
		unfinished:   m.unfinished(),
		partTrail:    len(m.segments.withoutEntries()),
		linksUnknown: len(m.segments.withoutLinks()) > 0,
		onlySitemaps: m.segments.onlySitemaps(),
		unchanged:    m.census.statuses[304],
		withheld:     m.wishes.mute,
		cut:          m.census.partly,
		lost:         len(m.segments.lost()),
		reasons:      make(map[output.Reason]int),
	}
	for reason, urls := range m.refusals.reasons {
		c.reasons[reason] = urls.total
	}
	return c
}

// unfinished says why the crawl may not have seen everything.
func (m *maker) unfinished() string {
	switch state, e := m.segments.over(); state {
	case Unknown:
		return "it is not known whether the crawl came to its end"
	case Running:
		return "the crawl is still running"
	case Stopped:
		return "the crawl is not finished: " + quantity(e.Left, "URL") + " had still to be fetched"
	}
	switch open := len(m.segments.open()); open {
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

// lacking says that the directory of a worker was not named, as far as one can tell.
func (c *circumstances) lacking() string {
	return fmt.Sprintf("%s in a sitemap and neither fetched nor left alone, though the crawl is finished: the directory of a worker may be missing",
		subject(c.unseen, "URL", "is", "are"))
}

// doubts says why what was found of a kind is not the whole truth.
func (c *circumstances) doubts(kind Kind) []string {
	list := []string{}
	doubt := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	because := func(reason output.Reason, words string) {
		doubt(c.reasons[reason] > 0, "%s: %s", quantity(c.reasons[reason], "URL"), words)
	}
	doubt(c.unfinished != "", "%s", c.unfinished)
	doubt(c.part, "%s", onePart)
	doubt(c.lost > 0, "%s something of what the crawl wrote", subject(c.lost, "file", "has lost", "have lost"))
	doubt(c.unseen > 0, "%s", c.lacking())
	doubt(c.trail && kind == NotListed, "the entries of the sitemaps were not written down, so that a page that was found by a link first may be in one")
	doubt(c.trail && kind == FalseDate, "the entries of the sitemaps were not written down, nor their dates")
	doubt(c.trail && kind != NotListed && kind != FalseDate && kind != NotLinked,
		"the entries of the sitemaps were not written down: only what was first found in one is known to be listed")
	doubt(!c.trail && c.partTrail > 0 && kind != NotLinked,
		"the entries of the sitemaps that %s read were not written down", quantity(c.partTrail, "worker"))
	doubt(c.unread > 0 && kind != NotLinked, "%s could not be read", quantity(c.unread, "sitemap file"))
	if kind == FalseDate || kind == NotFetched {
		return list
	}
	because(output.Later, "their robots.txt could not be read, or their hosts allowed no request yet")
	because(output.Address, "their hosts are at addresses that are not public and not allowed")
	because(output.HostFull, "left out by the limit of pages of a host")
	because(output.TooManyHosts, "left out by the limit of hosts")
	because(output.SitemapFull, "sitemaps left out by the limit of their entries")
	because(output.TooLong, "left out for their length")
	because(output.Unchanged, "left out, since their sitemap says that they have not changed")
	if kind != NotLinked && kind != NotListed {
		return list
	}
	because(output.TooDeep, "left out by the limit of depth")
	because(output.Trap, "left out as URLs of a trap")
	because(output.Repeating, "left out, since their paths repeat")
	doubt(c.onlySitemaps, "no link was followed")
	doubt(c.cut > 0, "%s had more text or links than were read", quantity(c.cut, "page"))
	if kind != NotLinked {
		return list
	}
	doubt(c.linksUnknown, "the links of the pages were not written down")
	doubt(c.unchanged > 0, "%s had not changed since the last crawl and came without their links", quantity(c.unchanged, "page"))
	doubt(c.withheld > 0, "the links of %s that ask to be left out are not written down", quantity(c.withheld, "page"))
	return list
}
