package demosite

import (
	"strings"
	"time"
)

// A host is one origin of the site, with its routes and the rules that hold on
// it.
type host struct {
	name    string // stands for the origin in texts: {sitemaps}
	title   string
	shows   string
	hue     int  // of its pages' colour
	outside bool // not among the start URLs: never to be asked

	origin string // set when its address is known
	start  string // front page of the whole site, likewise
	at     func(origin string) *host
	rules  string // the robots.txt that is in force here in the end; empty: all is allowed
	// Crawl-delay of its groups.
	delayUs, delayOthers time.Duration

	routes []*route
	byURI  map[string]*route
	trap   func(h *host, uri string) *route // makes a page of an endless part; nil: no such page
}

// rulesAt declares the robots.txt of h, served in the usual place.
func (h *host) rulesAt(text string) *route {
	h.rules = text
	return h.robots("/robots.txt", text)
}

// crawlDelay is the delay that h asks of a.
func (h *host) crawlDelay(a audience) time.Duration {
	if a == us {
		return h.delayUs
	}
	return h.delayOthers
}

// named reports whether a Host header is that of h.
func (h *host) named(header string) bool { return "http://"+header == h.origin }

// find returns the route of a path and query; nil: the site never published it.
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

// finish puts the origins into the texts of h.
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
