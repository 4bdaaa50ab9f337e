package report

import (
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// unfinished says why the crawl may not have seen everything; empty: it has.
func (m *maker) unfinished() string {
	switch state, e := m.dirs.outcome(); state {
	case Unknown:
		return "it is not known whether the crawl finished"
	case Running:
		return "the crawl is still running"
	case Stopped:
		return "the crawl is not finished: " + subject(e.Remaining, "URL", "remains", "remain")
	}
	switch open := len(m.dirs.filter((*workerDir).open)); {
	case open == 0:
		return ""
	case len(m.dirs) == 1:
		return m.rejectedIncomplete()[0]
	default:
		return fmt.Sprintf("%s not finished, so skipped URLs may not all be listed", subject(open, "worker", "has", "have"))
	}
}

// rejectedIncomplete says why more URLs were skipped than the files list, apart from lost
// lines; empty: they list all.
func (m *maker) rejectedIncomplete() []string {
	list := []string{}
	for _, d := range m.dirs.filter((*workerDir).open) {
		worker, state := "the crawl", "was killed or failed"
		if len(m.dirs) > 1 {
			worker = d.dir + ": the worker"
		}
		switch d.progress() {
		case Running:
			state = "is still running"
		case Unknown:
			state = "is still running or was killed"
		}
		list = append(list, fmt.Sprintf("%s %s: some skipped URLs are not listed until it ends", worker, state))
	}
	for _, d := range m.dirs.filter(func(d *workerDir) bool { return d.state.RejectedIncomplete }) {
		list = append(list, fmt.Sprintf("%s: more URLs were skipped than %s lists", d.dir, results.Rejected.Name()))
	}
	return list
}

// otherWorkers says that a report is not of the whole crawl.
const otherWorkers = "the crawl may have had other workers, whose results are in other directories"

// missingDirs says that the directory of a worker may be missing; empty: none is.
func (m *maker) missingDirs() string {
	n := m.comparison.unfetched
	if state, _ := m.dirs.outcome(); n == 0 || len(m.dirs) == 1 || !m.dirs.shared() || state != Finished {
		return ""
	}
	return fmt.Sprintf("the crawl is finished, but %s neither fetched nor skipped: the directory of a worker may be missing",
		subject(n, "listed URL", "was", "were"))
}

// oneOfSeveral reports whether the crawl may have had workers whose directories are not known.
func (m *maker) oneOfSeveral() bool { return len(m.dirs) == 1 && m.dirs.shared() }

// caveats says why the list of a rule may be incomplete or wrong.
func (m *maker) caveats(rule string) []string {
	list := []string{}
	add := func(applies bool, format string, args ...any) {
		if applies {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	skipped := func(reason output.Reason, why string) {
		n := m.rejections.total(reason)
		add(n > 0, "%s %s", subject(n, "URL", "was skipped:", "were skipped:"), why)
	}
	topic := topicOf(rule)
	unfinished, missingDirs := m.unfinished(), m.missingDirs()
	lost, unread, noEntries := lostFiles(m.dirs.lost()), m.sitemaps.unread(), len(m.dirs.filter((*workerDir).lacksEntries))
	add(unfinished != "", "%s", unfinished)
	add(m.oneOfSeveral(), otherWorkers)
	add(lost > 0, "%s data", subject(lost, "file", "has lost", "have lost"))
	add(missingDirs != "", "%s", missingDirs)
	if topic == topicSitemaps && rule != ruleSitemapNotLinked {
		add(noEntries > 0 && len(m.dirs) == 1, "%s is missing or empty", results.Entries.Name())
		add(noEntries > 0 && len(m.dirs) > 1, "%s of %s missing or empty", results.Entries.Name(), subject(noEntries, "worker", "is", "are"))
		add(unread != "", "%s", unread)
	}
	switch rule {
	case ruleSitemapUnreadable, ruleSitemapIncomplete, ruleSitemapLastmod, ruleSitemapNotFetched, ruleRobotsUnreachable:
		return list
	}
	skipped(output.RobotsUnreachable, "robots.txt could not be fetched")
	skipped(output.Deferred, "the host allowed no request yet")
	skipped(output.BlockedAddress, "the address is not public and not allowed")
	skipped(output.PaymentRequired, "the site requires payment")
	skipped(output.LicenseRequired, "the site requires a license")
	skipped(output.Usage, "the site disallows a purpose of the crawl")
	skipped(output.MaxHostPages, "limit of pages per host")
	skipped(output.MaxHosts, "limit of hosts")
	skipped(output.MaxSitemapEntries, "limit of sitemap entries")
	skipped(output.TooLong, "length limit of URLs")
	skipped(output.Excluded, "excluded by --include or --exclude")
	skipped(output.BeforeSince, "unchanged according to a sitemap")
	if topic == topicSitemaps && rule != ruleSitemapNotLinked && rule != ruleSitemapNotListed {
		return list
	}
	skipped(output.MaxDepth, "limit of depth")
	skipped(output.Trap, "spider trap")
	skipped(output.RepeatedSegment, "a path segment repeats too often")
	cut, unchanged := m.counters.missingLinks, m.counters.unread
	add(slices.ContainsFunc(m.dirs, func(d *workerDir) bool { return d.state.Config.OnlySitemaps }), "no links were followed")
	add(cut > 0, "%s more text or links than the limits allow", subject(cut, "page", "has", "have"))
	switch topic {
	case topicPages, topicCanonical, topicHreflang:
		add(unchanged > 0, "%s unchanged since the last crawl, and left out: the content is not known", subject(unchanged, "page", "is", "are"))
	}
	switch {
	case topic == topicCanonical:
		m.unknownTargets(add, m.alternates.unknownCanonical, "canonical link", checkCanonical)
	case topic == topicHreflang:
		m.unknownTargets(add, m.alternates.unknownHreflang, "hreflang link", checkHreflang)
	case topic == topicLinks, topic == topicExternal, topic == topicAssets, rule == ruleLinkToDisallowed, rule == ruleSitemapNotLinked:
		withheld := m.directives.withheldLinks
		add(m.comparison.linksUnknown, "the links of pages were not recorded")
		add(m.unknownLinks > 0, "%s unchanged since the last crawl, and links there are not known", subject(m.unknownLinks, "page", "is", "are"))
		add(withheld > 0, "the links of %s are not recorded, because of noindex", quantity(withheld, "page"))
		if n := m.fragments.unknownPages; rule == ruleBrokenFragment {
			add(n > 0, "%s fetched without --check fragments: the ids are not known", subject(n, "page", "was", "were"))
		}
	}
	return list
}

// unknownTargets says that targets of canonical or hreflang links are not known.
func (m *maker) unknownTargets(add func(bool, string, ...any), n int, link, check string) {
	text := "the targets of %s are not known: they were not fetched, or without content"
	if n == 1 {
		text = "the target of %s is not known: it was not fetched, or without content"
	}
	if !m.dirs.checks(check) {
		text += "; to check such targets, crawl with --check " + check
	}
	add(n > 0, text, quantity(n, link))
}

// applies reports whether the crawl has checked a rule.
func (m *maker) applies(rule string) bool {
	switch rule {
	case ruleBrokenAsset, ruleMixedContent:
		return m.dirs.checks(checkAssets)
	case ruleBrokenExternal:
		return m.dirs.checks(checkExternal)
	case ruleUnverified:
		return m.dirs.checks(checkAssets) || m.dirs.checks(checkExternal)
	case ruleForbiddenHost:
		return len(m.references.hosts) > 0
	case ruleBrokenFragment:
		return m.dirs.checks(checkFragments)
	}
	return topicOf(rule) != topicSitemaps || m.comparison.result.URLs > 0 || m.lists.finish(rule).Total > 0
}
