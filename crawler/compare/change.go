package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotsdiff"
)

// The IDs of the rules of changes. Programs rely on their spelling.
const (
	pageDisallowed   = "page-disallowed"
	PageNoindex      = "page-noindex"
	PageBroken       = "page-broken"
	PageVanished     = "page-vanished"
	pageRedirected   = "page-redirected"
	redirectChanged  = "redirect-changed"
	statusChanged    = "status-changed"
	pageAppeared     = "page-appeared"
	canonicalChanged = "canonical-changed"

	contentLost        = "content-lost"
	titleChanged       = "title-changed"
	h1Changed          = "h1-changed"
	descriptionChanged = "description-changed"
	typeChanged        = "content-type-changed"
	directivesChanged  = "directives-changed"

	RobotsDisallows = "robots-disallows"
	RobotsChanged   = "robots-changed"
	sitemapDropped  = "sitemap-dropped"
	sitemapAdded    = "sitemap-added"
)

// rules are the rules of changes in the order of a Comparison.
var rules = []report.Rule{
	{ID: pageDisallowed, Severity: report.SeverityError, Topic: "pages", Title: "Pages that robots.txt disallows now", Fix: "Remove the line from robots.txt, unless crawlers should no longer fetch the page."},
	{ID: PageNoindex, Severity: report.SeverityError, Topic: "pages", Title: "Pages that have noindex now", Fix: "Remove noindex, unless the page should leave search engines."},
	{ID: PageBroken, Severity: report.SeverityError, Topic: "pages", Title: "Pages that are broken now", Fix: "Restore the page, or redirect it to one that replaces it."},
	{ID: PageVanished, Severity: report.SeverityWarning, Topic: "pages", Title: "Pages that the crawl no longer finds", Fix: "Restore the page or a link to it, or redirect it to one that replaces it."},
	{ID: contentLost, Severity: report.SeverityWarning, Topic: "pages", Title: "Pages that lost their content", Fix: "Open the page: it may be an error page with status 200. Restore the text, unless it was removed on purpose."},
	{ID: canonicalChanged, Severity: report.SeverityWarning, Topic: "canonical", Title: "Pages with another canonical URL", Fix: "Restore the canonical link, unless the change is intended."},
	{ID: pageRedirected, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages that redirect now", Fix: "Check that the target replaces the page."},
	{ID: redirectChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "Redirects with another target", Fix: "Check that the target replaces the page."},
	{ID: statusChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "URLs with another status", Fix: "Check that the change is intended."},
	{ID: titleChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages with another title", Fix: "Check that the change is intended."},
	{ID: h1Changed, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages with another h1", Fix: "Check that the change is intended."},
	{ID: descriptionChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages with another description", Fix: "Check that the change is intended."},
	{ID: typeChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages with another content type", Fix: "Check that the change is intended."},
	{ID: directivesChanged, Severity: report.SeverityNotice, Topic: "pages", Title: "Pages with other robots directives", Fix: "Check that the change is intended."},
	{ID: pageAppeared, Severity: report.SeverityNotice, Topic: "pages", Title: "New pages", Fix: "Nothing needs to be done."},
	{ID: RobotsDisallows, Severity: report.SeverityWarning, Topic: "robots", Title: "Changes to robots.txt that disallow pages", Fix: "Check that these agents should no longer fetch these pages."},
	{ID: RobotsChanged, Severity: report.SeverityNotice, Topic: "robots", Title: "Other changes to robots.txt", Fix: "Check that the change is intended."},
	{ID: sitemapDropped, Severity: report.SeverityWarning, Topic: "sitemaps", Title: "Pages that no sitemap lists any more", Fix: "List the page again, unless search engines should not find it."},
	{ID: sitemapAdded, Severity: report.SeverityNotice, Topic: "sitemaps", Title: "URLs that a sitemap lists now", Fix: "Nothing needs to be done."},
}

// Rules returns the rules of changes. The report has rules of its own.
func Rules() []report.Rule { return slices.Clone(rules) }

// changes collects changes by rule.
type changes map[string]*report.Findings

func newChanges() changes {
	c := make(changes)
	for _, r := range rules {
		c[r.ID] = &report.Findings{Rule: r, Caveats: []string{}, Rows: []report.Finding{}}
	}
	return c
}

func (c changes) add(rule string, f report.Finding) { c[rule].Rows = append(c[rule].Rows, f) }

// list returns the rules with changes.
func (c changes) list() []report.Findings {
	list := []report.Findings{}
	for _, r := range rules {
		if f := c[r.ID]; len(f.Rows) > 0 {
			f.Total = len(f.Rows)
			list = append(list, *f)
		}
	}
	return list
}

// pages compares the pages.
func (c *Comparison) pages(found changes, before, after *view) {
	faulty, stillFaulty := before.faultyCanonicals(), after.faultyCanonicals()
	for _, u := range slices.Sorted(maps.Keys(before.pages)) {
		was := before.pages[u]
		is, ok := after.pages[u]
		if ok {
			found.response(u, was, is)
		}
		if !was.ok() {
			continue
		}
		if ok {
			repaired := isFaulty(faulty, u, was.canonical) && !isFaulty(stillFaulty, u, is.canonical)
			found.page(u, was, is, repaired)
			c.content(found, u, was, is)
			continue
		}
		rule, f := after.missing(before.Crawl, u)
		if rule == PageVanished && !after.lacks(u) {
			c.NotCompared.Pages++
			continue
		}
		if rule != pageDisallowed { // its FoundOn is the robots.txt
			f.FoundOn = was.from()
		}
		found.add(rule, f)
	}
	for _, u := range slices.Sorted(maps.Keys(after.pages)) {
		switch _, known := before.pages[u]; {
		case known || !after.pages[u].ok():
		case before.lacks(u):
			found.add(pageAppeared, report.Finding{URL: u})
		default:
			c.NotCompared.Pages++
		}
	}
}

// lacks reports whether a URL that was not fetched is no page of the site, as the crawl has seen it.
func (v *view) lacks(u string) bool {
	if skipped, ok := v.skipped[u]; ok {
		return skipped.reason != output.Failed && !slices.Contains(unreadReasons, skipped.reason)
	}
	return v.gone(u, nil, 0)
}

// isFaulty reports whether the canonical URL of a page is a finding.
func isFaulty(faulty map[[2]string]bool, u, canonical string) bool {
	return faulty[[2]string{u, canonical}] || faulty[[2]string{"", originOf(canonical)}]
}

// faultyCanonicals returns the pages and their canonical URLs that are findings, and without a page
// the origins that did not respond. Changing these is a repair.
func (c *Crawl) faultyCanonicals() map[[2]string]bool {
	faulty := make(map[[2]string]bool)
	for _, of := range c.report.Findings {
		for _, f := range of.Rows {
			switch {
			case of.Topic != "canonical":
			case f.Related != "":
				faulty[[2]string{f.URL, f.Related}] = true
			default:
				faulty[[2]string{"", originOf(f.URL)}] = true
			}
		}
	}
	return faulty
}

// response compares the responses of a URL that both crawls fetched, unless page does: it was ok, and is
// not.
func (c changes) response(u string, was, is page) {
	if redirection.Is(was.status) && redirection.Is(is.status) && is.location != was.location && (is.location == "" || is.location != was.unmoved.location) {
		c.add(redirectChanged, report.Finding{URL: u, Detail: "it was " + was.location, Related: is.location})
	}
	switch {
	case was.status == is.status, was.ok() && !is.ok():
	case was.ok() && is.ok() && (was.notModified() || is.notModified()): // which says nothing of the status of the page
	default:
		c.add(statusChanged, report.Finding{URL: u, Detail: fmt.Sprintf("status %d; it was %d", is.status, was.status)})
	}
}

// page compares a page that both crawls fetched. Repaired says that its old canonical URL was a
// finding, and the new one is not.
func (c changes) page(u string, was, is page, repaired bool) {
	switch {
	case is.status >= 400:
		c.add(PageBroken, report.Finding{URL: u, Detail: fmt.Sprintf("status %d", is.status), FoundOn: is.from()})
	case !is.ok():
		c.add(pageRedirected, report.Finding{URL: u, Detail: fmt.Sprintf("status %d", is.status), Related: is.location})
	case !was.read || !is.read:
	default:
		if was.noindex == "" && is.noindex != "" {
			c.add(PageNoindex, report.Finding{URL: u, Detail: is.noindex})
		}
		if was.withheld || is.withheld {
			return
		}
		if is.canonical != "" && is.canonical == was.unmoved.canonical { // a test server that names the real site
			return
		}
		if !repaired && was.canonical != is.canonical && (was.canonical != "" || is.canonical != u) { // adding the page's own URL is harmless
			detail := "it had none"
			if was.canonical != "" {
				detail = "it was " + was.canonical
			}
			if is.canonical == "" {
				detail = "removed; " + detail
			}
			c.add(canonicalChanged, report.Finding{URL: u, Detail: detail, Related: is.canonical})
		}
	}
}

// missing says why a page of the old crawl was not fetched.
func (c *Crawl) missing(before *Crawl, u string) (rule string, f report.Finding) {
	f.URL = u
	skipped, isSkipped := c.skipped[u]
	switch {
	case isSkipped && skipped.reason == output.Disallowed:
		f.Detail, f.Line = skipped.rule, skipped.line
		return pageDisallowed, f
	case isSkipped && skipped.reason == output.Failed:
		f.Detail = cmp.Or(skipped.detail, "no response")
		return PageBroken, f
	case isSkipped:
		f.Detail = "skipped: " + string(skipped.reason)
		return PageVanished, f
	}
	if rule := c.disallows(u); rule != nil && before.disallows(u) == nil { // no link to it was found: its links are on disallowed pages
		f.Detail, f.Line = rule.String(), rule.Line
		return pageDisallowed, f
	}
	return PageVanished, f
}

// disallows returns the rule of robots.txt that disallows a URL, or nil if none does.
func (c *Crawl) disallows(u string) *robotstxt.Rule {
	file := c.robots[originOf(u)]
	if file == nil {
		return nil
	}
	v := file.Check(u, c.token)
	if v.Allowed {
		return nil
	}
	return v.Rule
}

// originOf returns scheme, host and port of a URL in canonical form.
func originOf(u string) string {
	scheme, rest, _ := strings.Cut(u, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}

// maxExamples is the number of pages that a change to robots.txt names.
const maxExamples = 10

// robots compares the robots.txt files of origins that both crawls visited.
func (c changes) robots(before, after *Crawl) {
	for _, origin := range slices.Sorted(maps.Keys(after.robots)) {
		was, is := before.robots[origin], after.robots[origin]
		if was == nil {
			continue
		}
		u := origin + "/robots.txt"
		d := robotsdiff.Compare(was, is, nil)
		for _, a := range d.Agents {
			c.agents(u, a, before.pagesOf(origin), was, is)
		}
		for _, s := range d.Removed {
			c.add(RobotsChanged, report.Finding{URL: u, Detail: "the Sitemap line is gone", Related: s.URL})
		}
		for _, s := range d.Added {
			c.add(RobotsChanged, report.Finding{URL: u, Detail: fmt.Sprintf("line %d is a new Sitemap line", s.Line), Line: s.Line, Related: s.URL})
		}
	}
}

// agents adds the changes to a robots.txt for some agents.
func (c changes) agents(u string, a robotsdiff.AgentDiff, pages []string, was, is *robotstxt.File) {
	who := "for " + strings.Join(a.Agents, ", ")
	if slices.Contains(a.Agents, "*") {
		switch isNamed := func(agent string) bool { return agent != "*" }; {
		case len(a.Agents) > 1:
			who = "for " + strings.Join(a.Agents[:len(a.Agents)-1], ", ") + " and all other agents"
		case slices.ContainsFunc(slices.Concat(was.Agents(), is.Agents()), isNamed):
			who = "for all other agents"
		default:
			who = "for every agent"
		}
	}
	var lost []string
	for _, page := range pages {
		if was.Check(page, a.Agents[0]).Allowed && !is.Check(page, a.Agents[0]).Allowed {
			lost = append(lost, page)
		}
	}
	for _, change := range a.Changes {
		f := report.Finding{URL: u, Related: originOf(u) + change.Example}
		if change.New.Allowed {
			f.Detail = fmt.Sprintf("%s is allowed %s; it was disallowed by %s", change.Pattern, who, decision(change.Old))
			c.add(RobotsChanged, f)
			continue
		}
		f.Detail = fmt.Sprintf("%s is disallowed %s by %s", change.Pattern, who, decision(change.New))
		if len(change.New.Lines) > 0 {
			f.Line = change.New.Lines[0]
		}
		if len(lost) == 0 {
			c.add(RobotsChanged, f)
			continue
		}
		f.Pages, f.FoundOn = len(lost), lost[:min(len(lost), maxExamples)]
		c.add(RobotsDisallows, f)
	}
	if a.OldDelay != a.NewDelay {
		c.add(RobotsChanged, report.Finding{URL: u, Detail: fmt.Sprintf("Crawl-delay %s is %v; it was %v", who, a.NewDelay, a.OldDelay)})
	}
}

func decision(d robotsdiff.Decision) string {
	if d.Rule == nil {
		return "no line"
	}
	words := make([]string, len(d.Lines))
	for i, line := range d.Lines {
		words[i] = fmt.Sprint(line)
	}
	return fmt.Sprintf("%q, line %s", d.Rule, strings.Join(words, ", "))
}

// pagesOf returns the pages of an origin that were fetched, sorted.
func (c *Crawl) pagesOf(origin string) []string {
	var list []string
	for u, p := range c.pages {
		if p.ok() && originOf(u) == origin {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return list
}

// sitemaps compares what the sitemaps list. A sitemap that cannot be read is a finding, and the pages
// that it may list are not.
func (c *Comparison) sitemaps(found changes, before, after *view) {
	unread, unreadBefore := after.unreadSitemaps(), before.unreadSitemaps()
	kept := make(map[string]bool) // under the names of before move
	for _, u := range slices.Sorted(maps.Keys(before.listed)) {
		unmoved := before.unmoved[u]
		if kept[unmoved] = after.listed[unmoved] != ""; kept[unmoved] || after.listed[u] != "" {
			continue
		}
		c.unlisted = true
		if p := after.pages[u]; !unread[originOf(u)] && after.readSitemap(before.listed[u]) && p.ok() && p.noindex == "" && slices.Contains([]string{"", u, unmoved}, p.canonical) {
			found.add(sitemapDropped, report.Finding{URL: u, Related: before.listed[u]})
		}
	}
	for _, u := range slices.Sorted(maps.Keys(after.listed)) {
		if before.listed[u] != "" || kept[u] {
			continue
		}
		c.unlisted = true
		if !unreadBefore[originOf(u)] && before.readSitemap(after.listed[u]) {
			found.add(sitemapAdded, report.Finding{URL: u, Related: after.listed[u]})
		}
	}
}

// unreadSitemaps returns the origins with a sitemap that the crawl could not read completely.
func (c *Crawl) unreadSitemaps() map[string]bool {
	origins := make(map[string]bool)
	for _, of := range c.report.Findings {
		if of.ID == "sitemap-unreadable" || of.ID == "sitemap-incomplete" {
			for _, f := range of.Rows {
				origins[originOf(f.URL)], origins[originOf(f.Related)] = true, true
			}
		}
	}
	return origins
}
