package demosite

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const htmlType = "text/html; charset=utf-8"

// class is the kind of a route's response.
type class uint8

const (
	page     class = iota // HTML with links
	document              // other linked content
	redirect              // a response with a Location
	robots                // a robots.txt, or a redirect to one
	sitemap               // a sitemap or sitemap index
)

// A route is one URL of the site: its response, and its declarations for the judge.
type route struct {
	host  *host
	uri   string // canonical path and query
	class class

	status      int
	contentType string
	location    string        // of a redirect
	header      http.Header   // additional headers
	body        string        // for classes other than page and sitemap
	wait        time.Duration // in addition to the latency of the site
	failures    int           // number of first responses that are 503 with Retry-After: 1
	asked       atomic.Int64  // requests so far; counted only if failures > 0

	// The robots.txt line that matches this URL, for namedToken and for all others. Empty means none.
	ruleUs, ruleOthers string
	trap               bool
	robotsOf           *host // the host with the rules of a robots route

	// For pages.
	title, shows, polite string
	links                []link
	base                 string   // href of its base element
	meta                 []string // its robots meta elements: "name=content"
	extra                string   // more HTML after the links
	inText               []string // hrefs of the links in extra
	nofollow             audience // who may not follow its links
	copyOf               string   // canonical URI of the page it duplicates

	// For sitemaps.
	entries []string
	index   bool // the entries are sitemaps
	gzip    bool
}

type link struct {
	href, text string
	rel        string
}

// to returns a link. Its href is written to the page unchanged.
func to(href, text string) link { return link{href: href, text: text} }

// url returns the absolute URL of the route.
func (r *route) url() string { return r.host.origin + r.uri }

// baseURL returns the base URL of the links of a page.
func (r *route) baseURL() string {
	if r.base != "" {
		return r.host.origin + r.base
	}
	return r.url()
}

// content returns the body of the response.
func (r *route) content() []byte {
	switch {
	case r.class == page:
		return render(r)
	case r.class == sitemap && r.status == http.StatusOK:
		return sitemapXML(r)
	default:
		return []byte(r.body)
	}
}

// rule returns the robots.txt line that matches r for a, or "" if none does.
func (r *route) rule(a audience) string {
	if a == us {
		return r.ruleUs
	}
	return r.ruleOthers
}

// allowed reports whether robots.txt allows r for a.
func (r *route) allowed(a audience) bool {
	return !strings.HasPrefix(r.rule(a), "Disallow:")
}

// decided declares the robots.txt lines that match r, for namedToken and for all others.
func (r *route) decided(ruleUs, ruleOthers string) *route {
	r.ruleUs, r.ruleOthers = ruleUs, ruleOthers
	return r
}

// decidedForAll declares the line that matches r in both groups.
func (r *route) decidedForAll(rule string) *route { return r.decided(rule, rule) }

// with adds a header field to the response.
func (r *route) with(field, value string) {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Add(field, value)
}

// add adds a route to h and sets the defaults.
func (h *host) add(r *route) *route {
	r.host = h
	r.uri = canonical(r.uri)
	r.status = cmp.Or(r.status, http.StatusOK)
	r.contentType = cmp.Or(r.contentType, htmlType)
	h.routes = append(h.routes, r)
	return r
}

// page adds an HTML page. Shows says what it tests, polite what a polite crawler does with it.
func (h *host) page(uri, title, shows, polite string, links ...link) *route {
	return h.add(&route{uri: uri, class: page, title: title, shows: shows, polite: polite, links: links})
}

// series adds n numbered pages below a path, to which the front page links, and which link back.
func (h *host) series(front *route, path string, n int, shows, polite string) {
	for i := 1; i <= n; i++ {
		r := h.page(fmt.Sprintf("%s%d", path, i), fmt.Sprintf("Page %d", i), shows, polite, to(front.uri, front.title))
		front.links = append(front.links, to(r.uri, r.title))
	}
}

// missing returns the page for unknown URLs.
func (h *host) missing() *route {
	return &route{
		host: h, class: page, status: http.StatusNotFound, contentType: htmlType, title: "No such page",
		shows: "This URL does not exist.", polite: "It never requests this URL, since nothing links to it.",
	}
}

// document adds content other than HTML.
func (h *host) document(uri, contentType, body string) *route {
	return h.add(&route{uri: uri, class: document, contentType: contentType, body: body})
}

// redirect adds a redirect; location may be relative.
func (h *host) redirect(uri string, status int, location string) {
	h.add(&route{
		uri: uri, class: redirect, status: status, location: location,
		contentType: "text/plain; charset=utf-8", body: fmt.Sprintf("%d %s\n", status, http.StatusText(status)),
	})
}

// sitemap adds a sitemap of entries.
func (h *host) sitemap(uri string, entries ...string) *route {
	return h.add(&route{uri: uri, class: sitemap, contentType: "application/xml", entries: entries})
}

// sitemapGzip adds a gzip-compressed sitemap of entries.
func (h *host) sitemapGzip(uri string, entries ...string) *route {
	r := h.sitemap(uri, entries...)
	r.contentType, r.gzip = "application/gzip", true
	return r
}

// robots adds a route that answers with text, on the way to h's own rules.
func (h *host) robots(uri, text string) *route {
	return h.add(&route{uri: uri, class: robots, contentType: "text/plain; charset=utf-8", body: text, robotsOf: h})
}
