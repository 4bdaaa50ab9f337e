package report

import (
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// linkRules are the rules of links and assets.
var linkRules = []rule{
	{Rule{brokenLink, SeverityError, topicLinks, "Broken links", "Correct or remove the links, or redirect the URL to a page that replaces it."},
		"Status 4xx or 5xx, or no response. Pages link to the URL, or it is a start URL. URLs that only a redirect or a sitemap names are in `redirect-dead-end` or `sitemap-broken`.", ofLinks, nil, brokenLinks},
	{Rule{"invalid-url", SeverityError, topicLinks, "Links and assets with an invalid URL", "Correct the URL: crawlers and most browsers cannot open it."},
		"A link or asset whose URL begins with `http:`, `https:` or `//` and is not valid; `url` is as written, and `detail` says why. nofollow links that the crawl does not follow do not count. Assets need `--check assets`.", ofLinks, nil, invalidURLs},
	{Rule{"broken-fragment", SeverityWarning, topicLinks, "Links to missing fragments", "Correct the part after #, or add an element with this id to the target page."},
		"A link to `page#name`, and the page has no element with this id. Needs `--check fragments`.", ofFragments, checked(checkFragments), brokenFragments},
	{Rule{"forbidden-host", SeverityError, topicLinks, "Links and assets on forbidden hosts", "Replace the URL by that of the public host."},
		"A link, asset, canonical or hreflang URL, or target of a redirect, on a host that `--forbid-host` names. Subdomains count too, except hosts of start URLs. `detail` names uses other than links and assets. Assets need `--check assets`; texts, scripts and structured data are not searched.", ofLinks, forbidsHosts, forbiddenHosts},
	{Rule{"link-redirected-permanently", SeverityWarning, topicLinks, "Links to URLs that redirect permanently", "Link to the target of the redirect."},
		"Pages link to a URL of the crawl that redirects with 301 or 308; `related` is the target. URLs with a finding in redirects are left out.", ofLinks, nil, redirectedLinks(true)},
	{Rule{"link-redirected", SeverityNotice, topicLinks, "Links to URLs that redirect temporarily", "Link to the target, unless the redirect depends on the visitor or the time."},
		"The same with 302, 303 or 307.", ofLinks, nil, redirectedLinks(false)},
	{Rule{"link-double-slash", SeverityNotice, topicLinks, "Links with a double slash in the path", "Write one slash: servers and search engines see another URL."},
		"Pages link to a URL of a host of the crawl that has `//` in its path, except after a colon, as in an embedded URL.", ofLinks, nil, doubleSlashes},
	{Rule{"broken-external", SeverityWarning, topicExternal, "Broken external links", "Correct or remove the links."},
		"As `broken-link`, for a URL outside the crawl to which pages link, also by a link element such as license, or for the end of its redirects. Needs `--check external`.", ofLinks, checked(checkExternal), failedChecks(func(f *checkFault) bool { return !f.unverified && !f.asset })},
	{Rule{"unverified", SeverityNotice, topicExternal, "Links and assets that could not be verified", "Open the URL in a browser: the server or its robots.txt refuses crawlers."},
		"A link or asset that was not requested (`detail` says why), or whose server rejects crawlers (status 401, 402, 403, 429 or 999). Needs `--check external` or `--check assets`.", ofLinks, checked(checkAssets, checkExternal), failedChecks(func(f *checkFault) bool { return f.unverified })},
	{Rule{"broken-asset", SeverityError, topicAssets, "Broken assets", "Restore the file, or correct the pages and stylesheets that use it."},
		"Status 4xx or 5xx, or no response, of an image, script, stylesheet or other file that pages or stylesheets use, or of the end of its redirects. Needs `--check assets`.", ofLinks, checked(checkAssets), failedChecks(func(f *checkFault) bool { return !f.unverified && f.asset })},
	{Rule{"mixed-content", SeverityError, topicAssets, "Insecure assets in secure pages", "Use https: browsers block http assets in an https page."},
		"An https page or stylesheet uses a file by http. Needs `--check assets`.", ofLinks, checked(checkAssets), mixedContent},
}

// checked reports whether the crawl made one of some checks.
func checked(kinds ...string) func(*model, *ruleList) bool {
	return func(m *model, _ *ruleList) bool { return slices.ContainsFunc(kinds, m.dirs.checks) }
}

// brokenLinks finds URLs that were requested and are broken. If no page links to one, its redirect or its
// sitemap is the finding.
func brokenLinks(m *model, l *ruleList) finder {
	add := func(k key, f fact, row Finding, source, foundOn string) {
		bySource := source == "redirect" || source == "sitemap" && f.has(listed)
		if !(bySource && m.references.count(k) == 0) && !m.isRemoved(k, f, source, foundOn) {
			l.addReferred(row, foundOn)
		}
	}
	return finder{
		page: func(v *pageView) {
			if broken(v.status) {
				add(v.key, v.fact, Finding{URL: v.URL, Detail: statusText(v.status)}, v.Source, v.FoundOn)
			}
		},
		rejection: func(v *rejectionView) {
			if v.Reason == output.Failed {
				add(v.key, v.fact, Finding{URL: v.URL, Detail: clip(v.Detail)}, v.Source, v.FoundOn)
			}
		},
	}
}

// isRemoved reports whether a URL of a recrawl was found in an earlier crawl only: its page has no link
// to it any more, or its sitemap does not list it.
func (m *model) isRemoved(k key, f fact, source, foundOn string) bool {
	if m.dirs.recrawls() == 0 || m.references.count(k) > 0 {
		return false
	}
	page := m.facts.byURL[keyOf(foundOn)]
	hasLinks := page.status > 0 && page.status != http.StatusNotModified && !page.has(withheld|incomplete)
	return source == "link" && hasLinks && !m.linksUnknown || source == "sitemap" && !f.has(listed) && !m.entriesUnknown
}

func invalidURLs(_ *model, l *ruleList) finder {
	return finder{rejection: func(v *rejectionView) {
		if v.Reason == output.InvalidURL && v.Source == "link" {
			l.addReferred(Finding{URL: v.URL, Detail: clip(v.Detail)}, v.FoundOn)
		}
	}}
}

func disallowedLinks(m *model, l *ruleList) finder {
	return finder{rejection: func(v *rejectionView) {
		isLink := v.Source == "link" || m.references.count(v.key) > 0
		if v.Reason == output.Disallowed && isLink && !m.isRemoved(v.key, v.fact, v.Source, v.FoundOn) {
			row := Finding{URL: v.URL, Related: v.RobotsURL}
			row.disallow(v.Rejection)
			l.addReferred(row, v.FoundOn)
		}
	}}
}

// redirectedLinks finds pages that redirect and to which pages link.
func redirectedLinks(permanent bool) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		return finder{page: func(v *pageView) {
			isPermanent := v.Status == http.StatusMovedPermanently || v.Status == http.StatusPermanentRedirect
			if !redirected(v.Status) || isPermanent != permanent || m.redirects.faulty[v.key] {
				return
			}
			foundOn := ""
			if v.Source == "link" {
				foundOn = v.FoundOn
			}
			if foundOn != "" || m.references.count(v.key) > 0 {
				to, _ := targetOf(v.Location)
				l.addReferred(Finding{URL: v.URL, Detail: statusText(v.Status), Related: to}, foundOn)
			}
		}}
	}
}

// doubleSlashes finds links to hosts of the crawl with a double slash in the path.
func doubleSlashes(m *model, _ *ruleList) finder {
	return finder{link: func(line *linksLine, found func(url string)) {
		for _, to := range line.To {
			if to.URL != line.URL && hasDoubleSlash(to.URL) && m.hasPages(originOf(to.URL)) {
				found(to.URL)
			}
		}
	}}
}

func hasDoubleSlash(url string) bool {
	const scheme = len("https://")
	if len(url) < scheme || !strings.Contains(url[scheme:], "//") {
		return false
	}
	path := url[len(originOf(url)):]
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	return strings.Contains(strings.ReplaceAll(path, "://", ""), "//")
}

func (m *model) hasPages(origin string) bool {
	o := m.counters.origins[origin]
	return o != nil && o.Pages > 0
}

func mixedContent(*model, *ruleList) finder {
	return finder{link: func(line *linksLine, found func(url string)) {
		for _, to := range line.Resources {
			if line.insecure(to) {
				found(to.URL)
			}
		}
	}}
}

// failedChecks finds URLs among those that were only checked.
func failedChecks(is func(*checkFault) bool) func(*model, *ruleList) finder {
	return func(_ *model, l *ruleList) finder {
		return finder{check: func(f *checkFault) {
			if is(f) {
				l.addReferred(f.Finding, f.foundOn)
			}
		}}
	}
}

// forbidsHosts reports whether the crawl has forbidden hosts.
func forbidsHosts(_ *model, l *ruleList) bool { return l.finder.link != nil }

// forbiddenHosts finds references of any kind to forbidden hosts. Each page counts once, and the lines of
// pages come first.
func forbiddenHosts(m *model, l *ruleList) finder {
	var hosts weburl.HostList
	for _, s := range m.dirs {
		list, _ := weburl.ParseHosts(s.state.Config.ForbidHost) // the crawl has checked them
		hosts = append(hosts, list...)
	}
	if len(hosts) == 0 {
		return finder{}
	}
	own := make(map[string]bool) // names of the hosts of start URLs
	for _, start := range m.dirs.urls() {
		if u, err := weburl.Parse(start); err == nil {
			own[u.Hostname] = true
		}
	}
	origins := make(map[string]bool) // by whether they are forbidden
	forbids := func(url string) bool {
		origin := originOf(url)
		forbidden, known := origins[origin]
		if !known {
			if u, err := weburl.Parse(origin + "/"); err == nil {
				has, exact := hosts.Has(u)
				forbidden = exact || has && !own[u.Hostname]
			}
			if len(origins) < maxNames {
				origins[strings.Clone(origin)] = forbidden
			}
		}
		return forbidden
	}
	users := make(map[pair]bool) // pages with what they use otherwise than as a link or asset
	return finder{
		load: func(v *pageView) {
			add := func(url, as string) {
				if url == "" || !forbids(url) {
					return
				}
				if u := pairOf(v.key, keyOf(url)); !users[u] {
					users[u] = true
					l.refer(url)
				}
				l.describe(url, as)
			}
			add(v.Canonical, "canonical URL")
			for _, h := range v.Hreflang {
				add(h.URL, "hreflang URL")
			}
			if redirected(v.Status) {
				to, _ := targetOf(v.Location)
				add(to, "target of a redirect")
			}
		},
		link: func(line *linksLine, found func(url string)) {
			from := keyOf(line.URL)
			add := func(to string) {
				if forbids(to) && !users[pairOf(from, keyOf(to))] {
					found(to)
				}
			}
			for _, to := range line.To {
				if to.URL != line.URL {
					add(to.URL)
				}
			}
			for _, to := range line.Resources {
				add(to.URL)
			}
		},
		all: func() error {
			for url := range l.uses {
				l.name(url)
			}
			return nil
		},
	}
}
