package demosite

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// Options configure a site. Nil means the zero value.
type Options struct {
	// Port is the TCP port of every host. 0 (default) means any free port.
	Port int

	// CrawlDelay is the Crawl-delay of the host "sitemaps" for the product token "politecrawl"
	// (default 50ms). For other crawlers it is twice as long.
	CrawlDelay time.Duration

	addresses      []string      // of the hosts (default 127.0.0.1 to 127.0.0.8)
	robotsFailures int           // responses with 503 to requests for an unavailable robots.txt (default 2)
	latency        time.Duration // before each response (default 2ms); negative means none
}

// A Site is a running demo site. It is safe for concurrent use.
type Site struct {
	hosts   []*host
	latency time.Duration
	record  record
	server  *testserver.Server
}

// ErrPortTaken says that another program listens on the port.
var ErrPortTaken = testserver.ErrPortTaken

// Start serves the site on loopback until Close. On a machine with one loopback address, each host
// gets its own port. The error matches ErrPortTaken (errors.Is), is one of package net, or says that
// an option is invalid.
func Start(opts *Options) (*Site, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.CrawlDelay = cmp.Or(o.CrawlDelay, 50*time.Millisecond)
	if o.CrawlDelay < 0 {
		return nil, fmt.Errorf("crawl delay %v is negative", o.CrawlDelay)
	}
	s := &Site{hosts: plan(o), latency: cmp.Or(o.latency, 2*time.Millisecond)}
	if o.addresses == nil {
		o.addresses = testserver.Loopback(len(s.hosts))
	}
	var err error
	if s.server, err = testserver.Start(o.Port, o.addresses); err != nil {
		return nil, err
	}
	s.open()
	return s, nil
}

// plan returns the hosts, in the order of the package comment.
func plan(o Options) []*host {
	town := rules()
	return []*host{
		town, sitemaps(o.CrawlDelay), wildcards(), unavailable(cmp.Or(o.robotsFailures, 2)),
		norobots(), redirected(town), disallowed(), external(),
	}
}

// open sets the address of each host and starts its server.
func (s *Site) open() {
	var names []string
	for i, h := range s.hosts {
		h.origin = "http://" + s.server.Addr(i)
		names = append(names, "{"+h.name+"}", h.origin)
	}
	names = append(names, "{directory}", directory(s.hosts))
	origins := strings.NewReplacer(names...)
	for _, h := range s.hosts {
		h.site = s
		h.finish(origins)
	}
	for i, h := range s.hosts { // pages show what they know of other hosts
		s.server.Handle(i, func(w http.ResponseWriter, r *http.Request) { s.serve(h, w, r) })
	}
}

// StartURLs returns the start URLs for a crawl of the site: the front pages of all hosts
// except "external". The first one is the front page of the site.
func (s *Site) StartURLs() []string {
	var urls []string
	for _, h := range s.hosts {
		if !h.outside {
			urls = append(urls, h.origin+"/")
		}
	}
	return urls
}

// Origin returns the origin of a host, such as "http://127.0.0.2:8080". The package comment has the
// names. Origin returns "" for other names.
func (s *Site) Origin(name string) string {
	for _, h := range s.hosts {
		if h.name == name {
			return h.origin
		}
	}
	return ""
}

// at returns the host at an origin, or nil.
func (s *Site) at(origin string) *host {
	for _, h := range s.hosts {
		if h.origin == origin {
			return h
		}
	}
	return nil
}

// Close stops the site at once and aborts requests in flight. Judge can still be called.
func (s *Site) Close() error { return s.server.Close() }
