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

// Options changes what Start serves. The zero value is the site as the package
// comment describes it.
type Options struct {
	// Port is the TCP port of every host; 0: any free one.
	Port int
	// Hosts are loopback addresses, one for each host of the site in the order
	// of the package comment; nil: 127.0.0.1 to 127.0.0.8. Hosts that are left
	// without an address, or whose address this machine does not have, get a
	// free port of their own on the first one.
	Hosts []string
	// RobotsFailures is how many requests for the unavailable's robots.txt are
	// answered with 503 before it recovers; 0: two, negative: none.
	RobotsFailures int
	// CrawlDelay is what the sitemaps's robots.txt asks of Token; 0: 50 ms. Of
	// the others it asks twice as much.
	CrawlDelay time.Duration
	// Latency is what every answer takes; 0: 2 ms, negative: nothing.
	Latency time.Duration
}

// A Site is the demo site, being served. It is safe for concurrent use.
type Site struct {
	hosts   []*host
	latency time.Duration
	record  record

	servers []*http.Server
	serving sync.WaitGroup
}

// ErrOptions is the class of errors about Options that nobody can serve.
var ErrOptions = errors.New("invalid options")

// Start serves the site on loopback until Close. nil options are the zero
// value. The error is ErrOptions, ErrPortTaken or what the system said.
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

// plan declares the hosts, in the order of the package comment.
func plan(o Options) []*host {
	town := rules()
	return []*host{
		town, sitemaps(o.CrawlDelay), wildcards(), unavailable(o.RobotsFailures),
		norobots(), redirected(town), disallowed(), external(),
	}
}

// open gives each host its address and begins to serve.
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

// StartURLs are what a crawl of the site begins with: the front pages of the
// hosts that are in its scope. The first is the one to show to people.
func (s *Site) StartURLs() []string {
	var urls []string
	for _, h := range s.hosts {
		if !h.outside {
			urls = append(urls, h.origin+"/")
		}
	}
	return urls
}

// Origin is the origin of a host by its name in the package comment, as in
// "http://127.0.0.2:8080"; empty: the site has no such host.
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

// Requests are all requests so far, in the order in which they began.
func (s *Site) Requests() []Request { return s.record.all() }

// Close ends the service at once, with the requests that are being answered.
// What was recorded stays.
func (s *Site) Close() error {
	var errs []error
	for _, server := range s.servers {
		errs = append(errs, server.Close())
	}
	s.serving.Wait()
	return errors.Join(errs...)
}
