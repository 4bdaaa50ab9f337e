package demosite

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Reason is why a complete crawl leaves a URL alone.
type Reason string

// The reasons, in the words of a crawl's rejected.jsonl.
const (
	Disallowed    Reason = "disallowed"     // a line of robots.txt
	OutOfScope    Reason = "out-of-scope"   // not on a host of the start URLs
	Nofollow      Reason = "nofollow"       // found only where following is not wanted
	NotAuthorized Reason = "not-authorized" // found only in a sitemap that may not list it (ROB-SMP-18)
)

// An Expectation is what a complete and polite crawl does, from StartURLs in
// the scope of their hosts, with the sitemaps that robots.txt names.
type Expectation struct {
	Pages    []string       // URLs to be requested, sorted: pages, documents, redirects, failures
	Sitemaps []string       // sitemap files to be requested, sorted
	Robots   map[string]int // requests for /robots.txt by origin
	Rejected []Rejection    // URLs to be skipped, sorted
	NoIndex  []string       // those of Pages that ask not to be kept, sorted
}

// A Rejection is a URL to be skipped.
type Rejection struct {
	URL     string
	Reason  Reason
	Rule    string // the line that disallows it
	Line    int    // its number in the robots.txt of the URL's host
	Sitemap bool   // a sitemap file, not a page
}

// Expected is what a complete crawl under a product token fetches and what it
// leaves alone. It follows the links that the pages declare; no robots.txt and
// no HTML is read for it.
func (s *Site) Expected(token string) Expectation {
	w := walk{
		site: s, audience: audienceOf(token),
		fetched: map[*route]bool{}, rejected: map[string]Rejection{},
	}
	e := Expectation{Robots: map[string]int{}}
	for _, h := range s.hosts {
		if h.outside {
			continue
		}
		e.Robots[h.origin] = 1 + h.find("/robots.txt").failures
		w.visit(h.origin, "/", false)
		for _, u := range sitemapsOf(h.rules) {
			w.readSitemap(h, u)
		}
	}
	w.finish(&e)
	return e
}

// walk goes over the declared links of the site.
type walk struct {
	site     *Site
	audience audience
	fetched  map[*route]bool
	rejected map[string]Rejection // by URL; may hold some that were fetched after all
}

// visit takes the URL that ref means on a page at base; nofollow: it should
// not be followed from there.
func (w *walk) visit(base, ref string, nofollow bool) {
	origin, uri, ok := resolve(base, ref)
	if !ok {
		return
	}
	h := w.site.at(origin)
	if h == nil || h.outside {
		w.reject(Rejection{URL: origin + uri, Reason: OutOfScope})
		return
	}
	if nofollow {
		w.reject(Rejection{URL: origin + uri, Reason: Nofollow})
		return
	}
	if r := h.find(uri); r != nil && w.fetch(r) {
		w.follow(r)
	}
}

// fetch reports whether r is to be fetched, and was not yet.
func (w *walk) fetch(r *route) bool {
	if w.fetched[r] {
		return false
	}
	if !r.allowed(w.audience) {
		rule := r.rule(w.audience)
		w.reject(Rejection{
			URL: r.url(), Reason: Disallowed, Rule: rule,
			Line: lineOf(r.host.rules, rule, w.audience), Sitemap: r.class == sitemap,
		})
		return false
	}
	w.fetched[r] = true
	return true
}

func (w *walk) reject(r Rejection) {
	// What should not be found here may be refused for good where it is found.
	if old, ok := w.rejected[r.URL]; !ok || old.Reason == Nofollow || old.Reason == NotAuthorized {
		w.rejected[r.URL] = r
	}
}

func (w *walk) follow(r *route) {
	if r.location != "" {
		w.visit(r.url(), r.location, false)
	}
	for _, l := range r.links {
		w.visit(r.baseURL(), l.href, l.rel != "" || r.nofollow.has(w.audience))
	}
	for _, href := range r.inText {
		w.visit(r.baseURL(), href, false)
	}
}

// readSitemap takes the entries of the sitemap at url that the robots.txt of
// lister names, itself or through an index.
func (w *walk) readSitemap(lister *host, url string) {
	origin, uri, _ := resolve(url, "")
	h := w.site.at(origin)
	r := h.find(uri)
	if !w.fetch(r) {
		return
	}
	for _, entry := range r.entries {
		origin, uri, _ := resolve(entry, "")
		own := origin == h.origin && strings.HasPrefix(uri, path.Dir(r.uri))
		switch {
		case origin == "": // relative, which no entry may be
		case r.index:
			w.readSitemap(lister, entry)
		case origin == lister.origin || own:
			w.visit(entry, "", false)
		default:
			w.reject(Rejection{URL: origin + uri, Reason: NotAuthorized})
		}
	}
}

// finish sorts what was found into e.
func (w *walk) finish(e *Expectation) {
	for r := range w.fetched {
		delete(w.rejected, r.url())
		if r.class == sitemap {
			e.Sitemaps = append(e.Sitemaps, r.url())
			continue
		}
		e.Pages = append(e.Pages, r.url())
		if r.noindex.has(w.audience) {
			e.NoIndex = append(e.NoIndex, r.url())
		}
	}
	slices.Sort(e.Pages)
	slices.Sort(e.Sitemaps)
	slices.Sort(e.NoIndex)
	for _, u := range slices.Sorted(maps.Keys(w.rejected)) {
		e.Rejected = append(e.Rejected, w.rejected[u])
	}
}
