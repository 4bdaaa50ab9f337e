package demosite

import (
	"strings"
	"time"
)

// A host is one origin of the site, with its routes and rules.
type host struct {
	name    string // in texts, {sitemaps} is a placeholder for its origin
	title   string
	shows   string
	hue     int  // color of its pages
	outside bool // out of scope

	origin string // set by Site.open
	site   *Site  // set by Site.open
	rules  string // the robots.txt after redirects and failures; empty if everything is allowed
	// The Crawl-delay of its groups.
	delayUs, delayOthers time.Duration

	routes []*route
	byURI  map[string]*route
	trap   func(h *host, uri string) *route // makes a page of the spider trap; nil if there is none
}

// rulesAt declares the robots.txt of h, served at /robots.txt.
func (h *host) rulesAt(text string) *route {
	h.rules = text
	return h.robots("/robots.txt", text)
}

// crawlDelay returns the Crawl-delay of h for a.
func (h *host) crawlDelay(a audience) time.Duration {
	if a == us {
		return h.delayUs
	}
	return h.delayOthers
}

// named reports whether a Host header names h.
func (h *host) named(header string) bool { return "http://"+header == h.origin }

// find returns the route of a path and query, or nil if there is none.
func (h *host) find(uri string) *route {
	uri = canonical(uri)
	if r, ok := h.byURI[uri]; ok {
		return r
	}
	if h.trap != nil {
		return h.trap(h, uri)
	}
	return nil
}

// finish replaces the placeholders in the texts of h.
func (h *host) finish(origins *strings.Replacer) {
	h.rules = origins.Replace(h.rules)
	h.byURI = make(map[string]*route, len(h.routes))
	for _, r := range h.routes {
		h.byURI[r.uri] = r
		r.location = origins.Replace(r.location)
		r.extra = origins.Replace(r.extra)
		r.body = origins.Replace(r.body)
		for i := range r.links {
			r.links[i].href = origins.Replace(r.links[i].href)
		}
		for i := range r.entries {
			r.entries[i] = origins.Replace(r.entries[i])
		}
	}
}
