package compare

import (
	"slices"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// unreadReasons are reasons of the crawl, not of the site, for which it skipped a URL.
var unreadReasons = []output.Reason{
	output.RobotsUnreachable, output.Deferred, output.OutOfScope, output.Excluded, output.BeforeSince, output.MaxDepth, output.MaxHostPages,
	output.MaxHosts, output.MaxSitemapEntries, output.BlockedAddress, output.TooLong, output.Trap, output.RepeatedSegment,
}

// incomplete says why the crawl may not have found all URLs, or returns "" if it has, apart from
// those behind URLs that it skipped.
func (c *Crawl) incomplete() string {
	switch {
	case c.report.Summary.State != report.Finished:
		return "is not finished"
	case len(c.report.Lost) > 0:
		return "has lost data"
	case c.onlySitemaps:
		return "has followed no links"
	case c.shared:
		return "has other workers"
	}
	return ""
}

func (c *Crawl) complete() bool { return c.incomplete() == "" }

// A view is a crawl as one compares it with another, which has findings or pages that this one does
// not have. They count as fixed or new only if this crawl has read what they are about.
type view struct {
	*Crawl

	other *Crawl

	missedLinks  func() bool // whether other did not read all pages with links
	sameSitemaps func() bool // whether both crawls read the same sitemaps, unless nothing lists them any more
	sameText     map[string]func() map[string][]string
}

func newView(c, other *Crawl) *view {
	v := &view{Crawl: c, other: other}
	v.missedLinks = sync.OnceValue(v.findMissedLinks)
	v.sameSitemaps = sync.OnceValue(func() bool {
		back := &view{Crawl: other, other: c}
		return v.readSitemapsOf(other) && back.readSitemapsOf(c)
	})
	group := func(text func(page) string) func() map[string][]string {
		return sync.OnceValue(func() map[string][]string {
			urls := make(map[string][]string)
			for u, p := range other.pages {
				urls[text(p)] = append(urls[text(p)], u)
			}
			return urls
		})
	}
	v.sameText = map[string]func() map[string][]string{"title-duplicate": group(titleOf), "description-duplicate": group(descriptionOf)}
	return v
}

func titleOf(p page) string       { return p.title }
func descriptionOf(p page) string { return p.description }

// decides reports whether the crawl has read what a finding of the other crawl is about.
func (v *view) decides(r report.Rule, f report.Finding) bool {
	u := withoutFragment(f.URL)
	switch {
	case r.ID == "sitemap-not-fetched": // what it is about was not read
		return false
	case !v.hasPages:
		return v.decidesByReport(r, f)
	case r.ID == "robots-unreachable":
		return v.robots[originOf(u)] != nil || v.complete()
	case r.ID == "link-to-disallowed":
		return v.robots[originOf(u)] != nil && (v.disallows(u) == nil || v.unlinked(u, f.FoundOn, 0))
	case r.Topic == "sitemaps":
		return v.decidesSitemap(r.ID, f)
	case r.Topic == "canonical" || r.Topic == "hreflang":
		return v.decidesTargets(r, f)
	case r.ID == "page-slow" && v.pages[u].notModified(): // without a body, a response is fast
		return false
	case r.Topic == "pages":
		return v.knows(u) && v.decidesText(r.ID, f)
	case r.ID == "broken-fragment":
		return v.knows(u) && v.knowsAll(v.trace(u)) && v.knowsAll(f.FoundOn)
	case r.ID == "mixed-content":
		return v.knowsAll(f.FoundOn)
	case r.ID == "unverified" && v.other.hasPages && !v.other.responded(u):
		return false
	}
	if v.responded(u) { // a URL that still fails is no finding if nothing links to it
		return r.Topic == "redirects" || v.works(u) || v.unlinked(u, f.FoundOn, 0)
	}
	return v.gone(u, f.FoundOn, 0)
}

// decidesByReport is decides for a report.json. Its caveats say that the list of a rule may be
// incomplete; caveats that both crawls have apply to both lists.
func (v *view) decidesByReport(r report.Rule, f report.Finding) bool {
	if caveats := v.caveats(r.ID); !v.complete() || len(caveats) > 0 && !slices.Equal(caveats, v.other.caveats(r.ID)) {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(f.FoundOn, []string{f.URL, f.Related}), func(u string) bool {
		_, skipped := v.skipped[u]
		return skipped
	})
}

func (c *Crawl) caveats(rule string) []string {
	for _, f := range c.report.Findings {
		if f.ID == rule {
			return f.Caveats
		}
	}
	return nil
}

// decidesSitemap is decides for the findings of sitemaps.
func (v *view) decidesSitemap(rule string, f report.Finding) bool {
	switch {
	case rule == "sitemap-unreadable" || rule == "sitemap-incomplete":
		return v.readSitemap(f.URL)
	case rule == "sitemap-not-listed":
		return v.sameSitemaps() && (v.listed[f.URL] != "" || v.knows(f.URL))
	case v.listed[f.URL] == "":
		return v.readSitemap(f.Related)
	}
	switch rule {
	case "sitemap-disallowed":
		return v.robots[originOf(f.URL)] != nil
	case "sitemap-broken", "sitemap-redirected":
		return v.responded(f.URL)
	case "sitemap-noindex", "sitemap-canonical-elsewhere":
		return v.knows(f.URL)
	case "sitemap-not-linked":
		return v.responded(f.URL) && !v.missedLinks()
	}
	return true
}

// decidesTargets is decides for the findings of canonical and hreflang links.
func (v *view) decidesTargets(r report.Rule, f report.Finding) bool {
	from, origin := []string{f.URL}, ""
	if f.Related == "" { // a silent origin
		from, origin = f.FoundOn, originOf(f.URL)
	}
	for _, u := range from {
		if !v.knows(u) {
			return false
		}
		p := v.pages[u]
		targets := p.hreflang
		if r.Topic == "canonical" {
			targets = []string{p.canonical}
		}
		for _, to := range targets {
			isOther := r.Topic == "hreflang" && f.Related != "" && to != f.Related || origin != "" && originOf(to) != origin
			if to != "" && to != u && !isOther && !v.knowsTarget(r.ID, to) {
				return false
			}
		}
	}
	return true
}

func (v *view) knowsTarget(rule, u string) bool {
	switch {
	case strings.HasSuffix(rule, "-disallowed"):
		return v.robots[originOf(u)] != nil || v.checks[u].responded
	case strings.HasSuffix(rule, "-broken") || strings.HasSuffix(rule, "-redirect"):
		return v.responded(u)
	}
	return v.checks[u].responded || v.pages[u].read
}

// decidesText is decides for duplicates: the pages that had the same text are known.
func (v *view) decidesText(rule string, f report.Finding) bool {
	group := v.sameText[rule]
	if group == nil {
		return true
	}
	if !v.other.hasPages {
		return v.knows(f.Related)
	}
	text := titleOf
	if rule == "description-duplicate" {
		text = descriptionOf
	}
	same := text(v.other.pages[f.URL])
	return text(v.pages[f.URL]) != same || v.knowsAll(group()[same])
}

func (v *view) knowsAll(pages []string) bool {
	return !slices.ContainsFunc(pages, func(u string) bool { return !v.knows(u) })
}

// knows reports whether the content of a page is known, or that there is no such page any more.
func (v *view) knows(u string) bool {
	if p, ok := v.pages[u]; ok {
		return p.read && !p.cut
	}
	return v.gone(u, nil, 0)
}

// responded reports whether a request for a URL has shown what it is, and where its redirects end.
func (c *Crawl) responded(u string) bool {
	for hop := range redirection.Max + 1 {
		p, isPage := c.pages[u]
		k, isCheck := c.checks[u]
		skipped, isSkipped := c.skipped[u]
		switch {
		case isPage && redirection.Is(p.status):
			u = p.location
		case isPage, isSkipped && skipped.reason == output.Failed:
			return true
		case isCheck && k.responded:
			u = k.location
		case isSkipped && hop > 0 && !isCheck: // the redirect is known
			return skipped.reason == output.OutOfScope || !slices.Contains(unreadReasons, skipped.reason)
		default:
			return false
		}
		if u == "" {
			return true
		}
	}
	return true
}

// works reports whether a URL, or the end of its redirects, has a page or file.
func (c *Crawl) works(u string) bool {
	for range redirection.Max + 1 {
		p, isPage := c.pages[u]
		k := c.checks[u]
		switch {
		case isPage && redirection.Is(p.status):
			u = p.location
		case isPage:
			return p.ok()
		case k.location != "":
			u = k.location
		default:
			return k.ok
		}
	}
	return false
}

// trace returns the URLs to which the redirects of a page lead.
func (c *Crawl) trace(u string) []string {
	var list []string
	for range redirection.Max {
		p := c.pages[u]
		if !redirection.Is(p.status) || p.location == "" {
			break
		}
		u = p.location
		list = append(list, u)
	}
	return list
}

// maxSteps limits the pages that lead to a page. Only a damaged crawl has more.
const maxSteps = 1000

// gone reports whether the crawl would have found a URL of the other crawl if it was still linked.
// Pages are some that linked to it, besides the one where it was found first.
func (v *view) gone(u string, pages []string, steps int) bool {
	_, isPage := v.pages[u]
	_, isCheck := v.checks[u]
	_, isSkipped := v.skipped[u]
	return !isPage && !isCheck && !isSkipped && v.disallows(u) == nil && v.unlinked(u, pages, steps)
}

// unlinked reports whether the crawl has read the pages of the other one that linked to a URL.
func (v *view) unlinked(u string, pages []string, steps int) bool {
	if !v.complete() || steps > maxSteps {
		return false
	}
	first := v.other.pages[u].foundOn
	if first == "" {
		first = v.other.checks[u].foundOn
	}
	if first == "" {
		first = v.other.skipped[u].foundOn
	}
	if first == "" && slices.Contains(v.other.report.Summary.URLs.Rows, u) { // this crawl had other start URLs
		return false
	}
	return v.followed(first, steps) && !slices.ContainsFunc(pages, func(page string) bool { return !v.followed(page, steps) })
}

// followed reports whether the links of a page, robots.txt, sitemap or stylesheet are known.
func (v *view) followed(u string, steps int) bool {
	p, isPage := v.pages[u]
	k, isCheck := v.checks[u]
	_, isSitemap := v.other.sitemaps[u]
	switch {
	case u == "":
		return true
	case isPage:
		return !p.cut
	case isCheck:
		return k.responded
	case isSitemap:
		return v.readSitemap(u)
	case strings.HasSuffix(u, "/robots.txt"):
		return v.robots[originOf(u)] != nil
	}
	return v.gone(u, nil, steps+1)
}

// readSitemap reports whether all entries of a sitemap of the other crawl are known, or that
// nothing lists it any more.
func (v *view) readSitemap(u string) bool {
	for range redirection.Max {
		if f, ok := v.sitemaps[u]; ok {
			return f.read
		}
		above := v.other.sitemaps[u].foundOn
		switch {
		case !v.complete():
			return false
		case above == "": // the crawl looks for some that no robots.txt lists
			return true
		case strings.HasSuffix(above, "/robots.txt"):
			return v.robots[originOf(above)] != nil
		}
		u = above
	}
	return false
}

// readSitemapsOf reports whether the crawl has read all sitemaps that another one read.
func (v *view) readSitemapsOf(c *Crawl) bool {
	for u, f := range c.sitemaps {
		if f.read && !v.readSitemap(u) {
			return false
		}
	}
	return true
}

// findMissedLinks reports whether the other crawl did not read a page with links that this one read.
func (v *view) findMissedLinks() bool {
	back := &view{Crawl: v.other, other: v.Crawl}
	for u, p := range v.pages {
		if p.links > 0 && p.noindex == "" && !back.followed(u, 0) {
			return true
		}
	}
	return false
}
