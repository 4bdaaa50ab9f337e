package report

import (
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// needs say what the list of a rule needs to be complete, besides a crawl that finished and kept its files.
type needs uint8

const (
	needEntries    needs = 1 << iota // of all sitemaps
	needRequests                     // of all URLs that were found
	needDiscovery                    // of all URLs by links
	needContent                      // of pages that are unchanged
	needCanonicals                   // the targets of canonical links
	needHreflang                     // the targets of hreflang links
	needLinks                        // of all pages
	needIDs                          // of the elements of all pages
)

// What the rules need.
const (
	ofEntries    = needEntries
	ofCrawl      = needRequests | needDiscovery
	ofContent    = ofCrawl | needContent
	ofCanonicals = ofContent | needCanonicals
	ofVersions   = ofContent | needHreflang
	ofLinks      = ofCrawl | needLinks
	ofFragments  = ofLinks | needIDs
)

// skippedLimits say, for each reason to skip a URL that leaves a list incomplete, what ended the search.
var skippedLimits = []struct {
	of     needs
	reason output.Reason
	why    string
}{
	{needRequests, output.RobotsUnreachable, "robots.txt could not be fetched"},
	{needRequests, output.Deferred, "the host allowed no request yet"},
	{needRequests, output.BlockedAddress, "the address is not public and not allowed"},
	{needRequests, output.PaymentRequired, "the site requires payment"},
	{needRequests, output.LicenseRequired, "the site requires a license"},
	{needRequests, output.Usage, "the site disallows a purpose of the crawl"},
	{needRequests, output.MaxHostPages, "limit of pages per host"},
	{needRequests, output.MaxHosts, "limit of hosts"},
	{needRequests, output.MaxSitemapEntries, "limit of sitemap entries"},
	{needRequests, output.TooLong, "length limit of URLs"},
	{needRequests, output.Excluded, "excluded by --include or --exclude"},
	{needRequests, output.BeforeSince, "unchanged according to a sitemap"},
	{needDiscovery, output.MaxDepth, "limit of depth"},
	{needDiscovery, output.Trap, "spider trap"},
	{needDiscovery, output.RepeatedSegment, "a path segment repeats too often"},
}

// caveats says why a list with some needs may be incomplete or wrong.
func (m *model) caveats(has needs) []string {
	list := []string{}
	add := func(of needs, applies bool, format string, args ...any) {
		if applies && has&of == of {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	unfinished, missingDirs, unread := m.unfinished(), m.missingDirs(), m.sitemaps.unread()
	lost, noEntries := lostFiles(m.dirs.lost()), len(m.dirs.filter((*workerDir).lacksEntries))
	cut, unchanged, withheld, noIDs := m.counters.missingLinks, m.counters.unread, m.directives.withheldLinks, m.fragments.unknownPages
	add(0, unfinished != "", "%s", unfinished)
	add(0, m.oneOfSeveral(), otherWorkers)
	add(0, lost > 0, "%s data", subject(lost, "file", "has lost", "have lost"))
	add(0, missingDirs != "", "%s", missingDirs)
	add(needEntries, noEntries > 0 && len(m.dirs) == 1, "%s is missing or empty", results.Entries.Name())
	add(needEntries, noEntries > 0 && len(m.dirs) > 1, "%s of %s missing or empty", results.Entries.Name(), subject(noEntries, "worker", "is", "are"))
	add(needEntries, unread != "", "%s", unread)
	for _, limit := range skippedLimits {
		n := m.rejections.total(limit.reason)
		add(limit.of, n > 0, "%s %s", subject(n, "URL", "was skipped:", "were skipped:"), limit.why)
	}
	add(needDiscovery, slices.ContainsFunc(m.dirs, func(d *workerDir) bool { return d.state.Config.OnlySitemaps }), "no links were followed")
	add(needDiscovery, cut > 0, "%s more text or links than the limits allow", subject(cut, "page", "has", "have"))
	add(needContent, unchanged > 0, "%s unchanged since the last crawl, and left out: the content is not known", subject(unchanged, "page", "is", "are"))
	add(needCanonicals, m.targets.unknownCanonical > 0, "%s", m.unknownTargets(m.targets.unknownCanonical, "canonical link", checkCanonical))
	add(needHreflang, m.targets.unknownHreflang > 0, "%s", m.unknownTargets(m.targets.unknownHreflang, "hreflang link", checkHreflang))
	add(needLinks, m.linksUnknown, "the links of pages were not recorded")
	add(needLinks, m.unknownLinks > 0, "%s unchanged since the last crawl, and links there are not known", subject(m.unknownLinks, "page", "is", "are"))
	add(needLinks, withheld > 0, "the links of %s are not recorded, because of noindex", quantity(withheld, "page"))
	add(needIDs, noIDs > 0, "%s fetched without --check fragments: the ids are not known", subject(noIDs, "page", "was", "were"))
	return list
}

// unknownTargets says that targets of canonical or hreflang links are not known.
func (m *model) unknownTargets(n int, link, check string) string {
	text := "the targets of %s are not known: they were not fetched, or without content"
	if n == 1 {
		text = "the target of %s is not known: it was not fetched, or without content"
	}
	if !m.dirs.checks(check) {
		text += "; to check such targets, crawl with --check " + check
	}
	return fmt.Sprintf(text, quantity(n, link))
}

// unfinished says why the crawl may not have seen everything, or "" if it has.
func (m *model) unfinished() string {
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
// lines. It is empty if they list all.
func (m *model) rejectedIncomplete() []string {
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

// missingDirs says that the directory of a worker may be missing, or "" if none is.
func (m *model) missingDirs() string {
	n := m.entries.unfetched
	if state, _ := m.dirs.outcome(); n == 0 || len(m.dirs) == 1 || !m.dirs.shared() || state != Finished {
		return ""
	}
	return fmt.Sprintf("the crawl is finished, but %s neither fetched nor skipped: the directory of a worker may be missing",
		subject(n, "listed URL", "was", "were"))
}

// oneOfSeveral reports whether the crawl may have had workers whose directories are not known.
func (m *model) oneOfSeveral() bool { return len(m.dirs) == 1 && m.dirs.shared() }
