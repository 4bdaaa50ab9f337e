package demosite

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// The reasons of a Rejection.
const (
	reasonDisallowed    = "disallowed"     // disallowed by robots.txt
	reasonOutOfScope    = "out-of-scope"   // not on a host of the start URLs
	reasonNofollow      = "nofollow"       // every link to it is nofollow
	reasonNotAuthorized = "not-authorized" // listed only in a sitemap that is not authorized for its host
)

// An Expectation lists what a complete and polite crawl requests and skips. Such a crawl starts
// at StartURLs, stays on their hosts, and reads the sitemaps that robots.txt names. All lists
// are sorted.
type Expectation struct {
	Pages    []string       // URLs to request, including redirects and errors
	Sitemaps []string       // sitemap files to request
	Robots   map[string]int // number of requests for /robots.txt, by origin
	Rejected []Rejection    // URLs to skip
}

// A Rejection is a URL that a polite crawler skips.
type Rejection struct {
	URL    string
	Reason string // as in rejected.jsonl
	Rule   string // the line of robots.txt that disallows it
	Line   int    // its line number, from 1
}

// Expected returns what a complete crawl with a product token fetches and skips.
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

// A walk follows the declared links of the site.
type walk struct {
	site     *Site
	audience audience
	fetched  map[*route]bool
	rejected map[string]Rejection // by URL; some may be fetched later
}

// visit follows the reference ref on a page at base.
func (w *walk) visit(base, ref string, nofollow bool) {
	origin, uri, ok := resolve(base, ref)
	if !ok {
		return
	}
	h := w.site.at(origin)
	if h == nil || h.outside {
		w.reject(Rejection{URL: origin + uri, Reason: reasonOutOfScope})
		return
	}
	if nofollow {
		w.reject(Rejection{URL: origin + uri, Reason: reasonNofollow})
		return
	}
	if r := h.find(uri); r != nil && w.fetch(r) {
		w.follow(r)
	}
}

// fetch reports whether r is allowed and not fetched yet.
func (w *walk) fetch(r *route) bool {
	if w.fetched[r] {
		return false
	}
	if !r.allowed(w.audience) {
		rule := r.rule(w.audience)
		w.reject(Rejection{URL: r.url(), Reason: reasonDisallowed, Rule: rule, Line: lineOf(r.host.rules, rule, w.audience)})
		return false
	}
	w.fetched[r] = true
	return true
}

func (w *walk) reject(r Rejection) {
	// Links elsewhere decide about URLs with these two reasons.
	if old, ok := w.rejected[r.URL]; !ok || old.Reason == reasonNofollow || old.Reason == reasonNotAuthorized {
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

// readSitemap follows the entries of a sitemap that the robots.txt of lister names, directly or
// through an index.
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
		case origin == "": // relative URLs are not allowed in sitemaps
		case r.index:
			w.readSitemap(lister, entry)
		case origin == lister.origin || own:
			w.visit(entry, "", false)
		default:
			w.reject(Rejection{URL: origin + uri, Reason: reasonNotAuthorized})
		}
	}
}

// finish fills the lists of e.
func (w *walk) finish(e *Expectation) {
	for r := range w.fetched {
		delete(w.rejected, r.url())
		if r.class == sitemap {
			e.Sitemaps = append(e.Sitemaps, r.url())
		} else {
			e.Pages = append(e.Pages, r.url())
		}
	}
	slices.Sort(e.Pages)
	slices.Sort(e.Sitemaps)
	for _, u := range slices.Sorted(maps.Keys(w.rejected)) {
		e.Rejected = append(e.Rejected, w.rejected[u])
	}
}
