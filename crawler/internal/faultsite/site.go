package faultsite

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// Options configure a site. The zero value, and nil, serves a host for each fault and kind, and a
// healthy one.
type Options struct {
	// Hosts are the hosts of the site (default [AllHosts]).
	Hosts []Host
	// Pages is the length of the chain of pages of each host. The default is no chain. A negative
	// number means an endless one, until [Site.StopChains].
	Pages int
	// Delay is the required time from the end of a request to the start of the next one on
	// the same host.
	Delay time.Duration
	// Authority signs the certificates of hosts with TLS. Nil means an untrusted authority.
	Authority *testserver.Authority
}

// A Site is a running site of faults. It is safe for concurrent use.
type Site struct {
	delay         time.Duration
	hosts         []*host
	server        *testserver.Server
	chainsStopped atomic.Bool

	mu     sync.Mutex // guards report
	report Report
}

// Start serves each host on its own address, from 127.0.0.1, on any free port, until Close.
func Start(opts *Options) (*Site, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Hosts == nil {
		o.Hosts = AllHosts()
	}
	var err error
	if o.Authority == nil {
		if o.Authority, err = testserver.NewAuthority(); err != nil {
			return nil, err
		}
	}
	s := &Site{delay: o.Delay, report: Report{Faults: make(map[string]int)}}
	if s.server, err = testserver.Start(0, testserver.Loopback(len(o.Hosts))); err != nil {
		return nil, err
	}
	faults := make(map[string]*Fault)
	for _, f := range Faults() {
		faults[f.Name] = f
	}
	for i, wanted := range o.Hosts {
		h, err := newHost(wanted, faults[wanted.Fault], s.server.Addr(i), &o)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.hosts = append(s.hosts, h)
		s.server.Serve(i, func(c *net.TCPConn) { s.serve(h, c) })
	}
	return s, nil
}

// newHost returns the host at an address with its port.
func newHost(wanted Host, f *Fault, address string, o *Options) (*host, error) {
	h := &host{Place: Place{Host: wanted}, fault: f, pages: o.Pages}
	if (f == nil) != (wanted.Kind == Healthy) || f != nil && f.Want(wanted.Kind).Outcome == "" {
		return nil, fmt.Errorf("faultsite: there is no fault %q of a %s", wanted.Fault, wanted.Kind)
	}
	if f == nil || !f.TLS() {
		h.Origin = "http://" + address
		return h, nil
	}
	h.Origin = "https://" + address
	ip, _, _ := strings.Cut(address, ":")
	return h, h.certify(o.Authority, ip)
}

// AllHosts returns a host for each fault and kind that it can affect, and a healthy one.
func AllHosts() []Host {
	hosts := []Host{{Kind: Healthy}}
	for _, f := range Faults() {
		for _, k := range []Kind{Page, Robots, Sitemap} {
			if f.Want(k).Outcome != "" {
				hosts = append(hosts, Host{f.Name, k})
			}
		}
	}
	return hosts
}

// Places returns the hosts of the site, in the order of Options.Hosts.
func (s *Site) Places() []Place {
	places := make([]Place, len(s.hosts))
	for i, h := range s.hosts {
		places[i] = h.Place
	}
	return places
}

// StartURLs returns the front pages of all hosts.
func (s *Site) StartURLs() []string {
	urls := make([]string, len(s.hosts))
	for i, h := range s.hosts {
		urls[i] = h.Origin + frontPath
	}
	return urls
}

// StopChains stops adding pages to the chains, so that a crawl of endless chains ends.
func (s *Site) StopChains() { s.chainsStopped.Store(true) }

// PublishedPages returns the number of pages in the chain of a host that were linked so far.
func (s *Site) PublishedPages(origin string) int {
	for _, h := range s.hosts {
		if h.Origin == origin {
			h.mu.Lock()
			n := h.published
			h.mu.Unlock()
			return n
		}
	}
	return 0
}

// Close stops the site and aborts requests in flight. The report stays available.
func (s *Site) Close() error { return s.server.Close() }
