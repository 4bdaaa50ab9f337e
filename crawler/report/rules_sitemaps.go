package report

import (
	"cmp"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// sitemapRules are the rules of sitemaps.
var sitemapRules = []rule{
	{Rule{"sitemap-unreadable", SeverityError, topicSitemaps, "Sitemaps that cannot be read", "Restore or correct the file, or remove its line from robots.txt or its entry from the index."},
		"A sitemap that robots.txt or an index (`related`) names: status 4xx or 5xx, no response, disallowed by robots.txt, or without an entry before the first error.", ofEntries, listsURLs, faultySitemaps(fileUnreadable)},
	{Rule{"sitemap-incomplete", SeverityWarning, topicSitemaps, "Sitemaps that end early", "Correct the file: search engines may not see the entries after the fault."},
		"A sitemap that has entries, and then an error that ends the reading (`detail`).", ofEntries, listsURLs, faultySitemaps(fileIncomplete)},
	{Rule{"sitemap-broken", SeverityError, topicSitemaps, "URLs in sitemaps that are broken", "Remove the URL from the sitemap, or restore the page."},
		"Status 4xx or 5xx, or no response.", ofEntries | needRequests, listsURLs, listedURLs(entryBroken, func(p *output.Page) string { return statusText(statusOf(p)) })},
	{Rule{"sitemap-redirected", SeverityError, topicSitemaps, "URLs in sitemaps that redirect", "List the target of the redirect."},
		"The URL redirects.", ofEntries | needRequests, listsURLs, listedURLs(entryRedirected, func(p *output.Page) string { return fmt.Sprintf("status %d to %s", p.Status, clip(p.Location)) })},
	{Rule{"sitemap-disallowed", SeverityError, topicSitemaps, "URLs in sitemaps that robots.txt disallows", "Remove the URL from the sitemap, or allow it in robots.txt."},
		"robots.txt disallows the URL.", ofEntries | needRequests, listsURLs, listedURLs(entryDisallowed, nil)},
	{Rule{"sitemap-noindex", SeverityError, topicSitemaps, "URLs in sitemaps with noindex", "Remove the URL from the sitemap, or noindex from the page."},
		"The page has noindex.", ofEntries | needRequests, listsURLs, listedPages(func(_ *model, f fact) bool { return f.has(noindex) }, noindexOf)},
	{Rule{"sitemap-canonical-elsewhere", SeverityError, topicSitemaps, "URLs in sitemaps that name another canonical URL", "List the canonical URL."},
		"The page names another URL as its canonical one.", ofEntries | needRequests, listsURLs, listedPages(func(_ *model, f fact) bool { return f.has(elsewhere) }, func(p *output.Page) string { return clip(p.Canonical) })},
	{Rule{"sitemap-not-authorized", SeverityError, topicSitemaps, "URLs that their sitemap is not authorized to list", "List the sitemap in the robots.txt of the host, or move it to that host, in the directory of the URLs or above."},
		"An entry that the sitemap may not list: a page of a host whose robots.txt does not list the sitemap, and not below the directory of the sitemap.", ofEntries | needRequests, listsURLs, listedURLs(entryNotAuthorized, nil)},
	{Rule{"sitemap-invalid-lastmod", SeverityError, topicSitemaps, "Sitemap entries with an invalid lastmod", "Write the date of the last change: the given lastmod is in the future, or before the first website (6 August 1991)."},
		"An entry with a date before the first website (6 August 1991), or more than 14 hours after the sitemap was read.", ofEntries, listsURLs, invalidLastmods},
	{Rule{"sitemap-not-linked", SeverityWarning, topicSitemaps, "URLs in sitemaps to which no page links", "Link to the page, or remove it from the sitemap."},
		"Listed and fetched, but no fetched page links to it, nor a redirect from a linked page. Links of a page to itself do not count; start URLs are linked.", ofLinks, listsURLs, listedPages((*model).unlinked, func(*output.Page) string { return "" })},
	{Rule{"sitemap-not-listed", SeverityWarning, topicSitemaps, "Indexable pages in no sitemap", "Add the page to the sitemap of its host."},
		"An HTML page that is indexable under this URL and in no sitemap, on a host with entries and no sitemap that could not be read completely.", ofEntries | ofCrawl, listsURLs, unlistedPages},
	{Rule{"sitemap-not-fetched", SeverityNotice, topicSitemaps, "URLs in sitemaps that were not fetched", "Raise the limits of the crawl to check them too."},
		"Listed, but not fetched for another reason, which `detail` names.", ofEntries, listsURLs, unfetchedEntries},
}

// listsURLs reports whether a sitemap lists a URL, or has a finding.
func listsURLs(m *model, l *ruleList) bool { return m.entries.result.URLs > 0 || l.finish().Total > 0 }

// faultySitemaps finds files by their fault.
func faultySitemaps(fault sitemapFault) func(*model, *ruleList) finder {
	return afterAll(func(m *model, l *ruleList) {
		for i := range m.sitemaps.files {
			f := &m.sitemaps.files[i]
			if m.sitemaps.fault(f) != fault {
				continue
			}
			row := Finding{URL: f.URL, Related: f.FoundOn, Detail: cmp.Or(f.Detail, statusText(f.Status))}
			if r := m.sitemaps.rejections[sitemapKey(f.URL, f.FoundOn)]; r != nil && r.Rule != "" {
				row.disallow(r)
			}
			l.add(row)
		}
	})
}

// listedURLs finds listed URLs by their state. Detail describes a page, and is nil if only rejected URLs have it.
func listedURLs(state entryState, detail func(*output.Page) string) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		return finder{
			inSitemap: true,
			page: func(v *pageView) {
				if detail != nil && v.fact.has(listed) && m.entries.stateOf(v.fact) == state {
					l.add(Finding{URL: v.URL, Detail: detail(v.Page)})
				}
			},
			rejection: func(v *rejectionView) {
				if !v.fact.has(listed) || v.fact.status != 0 || m.entries.stateOf(v.fact) != state {
					return
				}
				row := Finding{URL: v.URL, Detail: clip(cmp.Or(v.Rule, v.Detail))}
				if state == entryDisallowed {
					row.disallow(v.Rejection)
				}
				l.add(row)
			},
		}
	}
}

// listedPages finds listed pages that were fetched.
func listedPages(is func(*model, fact) bool, detail func(*output.Page) string) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		return finder{inSitemap: true, page: func(v *pageView) {
			if v.fact.has(listed) && m.entries.stateOf(v.fact) >= entryNotIndexable && is(m, v.fact) {
				l.add(Finding{URL: v.URL, Detail: detail(v.Page)})
			}
		}}
	}
}

// unlinked reports whether it is known that no page links to a URL.
func (m *model) unlinked(f fact) bool { return !f.has(linked) && !m.linksUnknown }

// unfetchedEntries finds listed URLs about which nothing is known to be wrong. Several sitemaps may list one.
func unfetchedEntries(m *model, l *ruleList) finder {
	l.rows.same = func(a, b Finding) bool { return a.URL == b.URL }
	return finder{entry: func(k key, f fact, e *output.Entry) {
		if m.entries.stateOf(f) != entryNotFetched {
			return
		}
		row := Finding{URL: e.URL, Related: e.Sitemap, Detail: cmp.Or(string(m.facts.reason(f)), "not fetched yet")}
		if f.has(counted) {
			l.rows.addDuplicate(row)
			return
		}
		m.facts.mark(k, counted)
		l.add(row)
	}}
}

func invalidLastmods(m *model, l *ruleList) finder {
	return finder{entry: func(_ key, _ fact, e *output.Entry) {
		if detail := m.sitemaps.invalidLastmod(e); detail != "" {
			l.add(Finding{URL: e.URL, Related: e.Sitemap, Detail: date(e.LastMod) + ": " + detail})
		}
	}}
}

// unlistedPages finds indexable pages that are in no sitemap, though their host has one.
func unlistedPages(m *model, l *ruleList) finder {
	return finder{content: func(v *pageView) {
		origin := originOf(v.URL)
		if v.fact.has(listed) || !succeeded(v.status) || !m.entries.origins[origin] || m.sitemaps.faulty[origin] {
			return
		}
		detail := "found on " + v.FoundOn // a recrawl may no longer find it there
		switch v.Source {
		case "start":
			detail = "a start URL"
		case "redirect":
			detail = "redirected from " + v.FoundOn
		}
		l.add(Finding{URL: v.URL, Detail: clip(detail)})
	}}
}
