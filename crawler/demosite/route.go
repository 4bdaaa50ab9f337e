package demosite

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const htmlType = "text/html; charset=utf-8"

// class says what a route's answer is to a crawler.
type class uint8

const (
	page     class = iota // HTML with links
	document              // anything else that is linked like a page
	redirect              // an answer with a Location
	robots                // a robots.txt, or one step on the way to one
	sitemap               // a sitemap or sitemap index
)

// A route is one URL of the site: what it answers, and what it declares about
// itself for the judge.
type route struct {
	host  *host
	uri   string // canonical path and query
	class class

	status      int
	contentType string
	location    string        // of a redirect
	header      http.Header   // sent besides
	body        string        // of what is neither a page nor a list of entries
	wait        time.Duration // taken on top of the site's latency
	failures    int           // this many first answers are 503 with Retry-After: 1
	asked       atomic.Int64  // requests so far, counted only where failures is set

	// The robots.txt line that decides about this URL, for Token and for
	// everyone else; empty where no line does.
	ruleUs, ruleOthers string
	trap               bool
	robotsOf           *host // whose rules a robots route tells

	// What a page says, and what follows from it.
	title, shows, polite string
	links                []link
	base                 string   // href of its base element
	meta                 []string // its robots meta elements: "name=content"
	extra                string   // more markup, placed after the links
	inText               []string // hrefs of the links in extra
	nofollow             audience // who may not follow its links
	noindex              audience // who may not keep it
	copyOf               string   // canonical URI of the page it duplicates

	// What a sitemap lists.
	entries []string
	index   bool // the entries are sitemaps
	gzip    bool
}

type link struct {
	href, text string
	rel        string
}

// to is a link; its href is written to the page as it stands.
func to(href, text string) link { return link{href: href, text: text} }

// url is the absolute URL of the route.
func (r *route) url() string { return r.host.origin + r.uri }

// baseURL is what the links of a page are relative to.
func (r *route) baseURL() string {
	if r.base != "" {
		return r.host.origin + r.base
	}
	return r.url()
}

// content is the body of the answer, the same each time.
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

// rule is the robots.txt line that decides about r for a; empty: none does.
func (r *route) rule(a audience) string {
	if a == us {
		return r.ruleUs
	}
	return r.ruleOthers
}

// allowed reports whether robots.txt lets a fetch r.
func (r *route) allowed(a audience) bool {
	return !strings.HasPrefix(r.rule(a), "Disallow:")
}

// decided declares the robots.txt lines that decide about r, for Token and
// for everyone else.
func (r *route) decided(ruleUs, ruleOthers string) *route {
	r.ruleUs, r.ruleOthers = ruleUs, ruleOthers
	return r
}

// decidedForAll declares the line that decides about r in either group.
func (r *route) decidedForAll(rule string) *route { return r.decided(rule, rule) }

// with sends a header field besides.
func (r *route) with(field, value string) *route {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Add(field, value)
	return r
}

// add gives a route its place on h and fills in what most routes share.
func (h *host) add(r *route) *route {
	r.host = h
	r.uri = canonical(r.uri)
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.contentType == "" {
		r.contentType = htmlType
	}
	h.routes = append(h.routes, r)
	return r
}

// page adds an HTML page: shows says what it tests, polite what a polite
// crawler does with it.
func (h *host) page(uri, title, shows, polite string, links ...link) *route {
	return h.add(&route{uri: uri, class: page, title: title, shows: shows, polite: polite, links: links})
}

// missing is the page that is served where there is none.
func (h *host) missing() *route {
	return &route{
		host: h, class: page, status: http.StatusNotFound, contentType: htmlType, title: "No such page",
		shows: "A URL that this site has never published.", polite: "It never asks for it, since nothing leads here.",
	}
}

// document adds an answer that is not HTML.
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
