package demosite

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Options configure a site. Nil means the zero value.
type Options struct {
	// Port is the TCP port of every host. 0 (default): any free port.
	Port int

	// Hosts are the loopback addresses of the hosts, in the order of the package comment
	// (default 127.0.0.1 to 127.0.0.8). A host without an address, or with one that this
	// machine does not have, gets its own free port on the first address.
	Hosts []string

	// RobotsFailures is the number of requests for the robots.txt of the host "unavailable"
	// that get a 503 at first (default 2). Negative: none.
	RobotsFailures int

	// CrawlDelay is the Crawl-delay of the host "sitemaps" for Token (default 50ms). For other
	// crawlers it is twice as long.
	CrawlDelay time.Duration

	// Latency is the time before each response (default 2ms). Negative: none.
	Latency time.Duration
}

// A Site is a running demo site. It is safe for concurrent use.
type Site struct {
	hosts   []*host
	latency time.Duration
	record  record

	servers []*http.Server
	serving sync.WaitGroup
}

// ErrOptions says that Options are invalid.
var ErrOptions = errors.New("invalid options")

// Start serves the site on loopback until Close. The error matches ErrOptions or
// ErrPortTaken (errors.Is), or is one of package net.
func Start(opts *Options) (*Site, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o.RobotsFailures = max(cmp.Or(o.RobotsFailures, 2), 0)
	o.CrawlDelay = cmp.Or(o.CrawlDelay, 50*time.Millisecond)
	o.Latency = max(cmp.Or(o.Latency, 2*time.Millisecond), 0)
	if o.CrawlDelay < 0 {
		return nil, fmt.Errorf("%w: crawl delay %v is negative", ErrOptions, o.CrawlDelay)
	}
	s := &Site{hosts: plan(o), latency: o.Latency}
	if o.Hosts == nil {
		o.Hosts = addresses(len(s.hosts))
	}
	listeners, err := listen(o.Port, o.Hosts, len(s.hosts))
	if err != nil {
		return nil, err
	}
	s.open(listeners)
	return s, nil
}

// plan returns the hosts, in the order of the package comment.
func plan(o Options) []*host {
	town := rules()
	return []*host{
		town, sitemaps(o.CrawlDelay), wildcards(), unavailable(o.RobotsFailures),
		norobots(), redirected(town), disallowed(), external(),
	}
}

// open sets the address of each host and starts its server.
func (s *Site) open(listeners []net.Listener) {
	var names []string
	for i, h := range s.hosts {
		h.origin = "http://" + listeners[i].Addr().String()
		names = append(names, "{"+h.name+"}", h.origin)
	}
	names = append(names, "{directory}", directory(s.hosts))
	origins := strings.NewReplacer(names...)
	for i, h := range s.hosts {
		h.start, h.at = s.hosts[0].origin+"/", s.at
		h.finish(origins)
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.serve(h, w, r)
			}),
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          log.New(io.Discard, "", 0),
		}
		s.servers = append(s.servers, server)
		s.serving.Go(func() { _ = server.Serve(listeners[i]) }) // ends with ErrServerClosed
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

// Origin returns the origin of a host, such as "http://127.0.0.2:8080". The package comment has
// the names. Empty: there is no such host.
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

// Requests returns all requests so far, in the order of their starts.
func (s *Site) Requests() []Request { return s.record.all() }

// Close stops the servers at once and aborts requests in flight. Requests and Judge can still be
// called.
func (s *Site) Close() error {
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.Close())
	}
	s.serving.Wait()
	return errors.Join(errs...)
}
