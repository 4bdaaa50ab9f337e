package faultsite

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Options configure a site. The zero value, and nil, serves a host for each fault and kind, and a
// healthy one.
type Options struct {
	// Hosts are the hosts of the site (default [AllHosts]).
	Hosts []Host
	// Pages is the length of the chain of pages of each host. 0 (default): no chain. Negative:
	// endless, until [Site.StopChains].
	Pages int
	// Delay is the required time from the end of a request to the start of the next one on
	// the same host.
	Delay time.Duration
	// ByteInterval is the time between two bytes of slow responses (default 20ms).
	ByteInterval time.Duration
	// Authority signs the certificates of hosts with TLS. Nil: an untrusted authority.
	Authority *Authority
}

// ErrOptions says that Options are invalid.
var ErrOptions = errors.New("faultsite: invalid options")

// A Site is a running site of faults. It is safe for concurrent use.
type Site struct {
	delay, byteInterval time.Duration
	hosts               []*host
	chainsStopped       atomic.Bool
	serving             sync.WaitGroup

	mu     sync.Mutex // guards all below
	report Report
	open   map[net.Conn]bool // connections
	closed bool
}

// Start serves each host on its own address, from 127.0.0.1, on any free port, until Close. The
// error is ErrOptions, or one of package net.
func Start(opts *Options) (*Site, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Hosts == nil {
		o.Hosts = AllHosts()
	}
	if o.Authority == nil {
		var err error
		if o.Authority, err = NewAuthority(); err != nil {
			return nil, err
		}
	}
	s := &Site{
		delay: o.Delay, byteInterval: cmp.Or(o.ByteInterval, defaultInterval),
		report: Report{Faults: make(map[string]int)}, open: make(map[net.Conn]bool),
	}
	faults := make(map[string]*Fault)
	for _, f := range Faults() {
		faults[f.Name] = f
	}
	for i, wanted := range o.Hosts {
		h, err := newHost(wanted, faults[wanted.Fault], i, &o)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.hosts = append(s.hosts, h)
		s.serving.Go(func() { s.accept(h) })
	}
	return s, nil
}

// perNet is the number of hosts on each of 127.0.0.0/24, 127.0.1.0/24 and so on.
const perNet = 250

// newHost returns the i-th host.
func newHost(wanted Host, f *Fault, i int, o *Options) (*host, error) {
	h := &host{Place: Place{Host: wanted}, fault: f, pages: o.Pages}
	if (f == nil) != (wanted.Kind == Healthy) || f != nil && f.Want(wanted.Kind).Outcome == "" {
		return nil, fmt.Errorf("%w: there is no fault %q of a %s", ErrOptions, wanted.Fault, wanted.Kind)
	}
	address := fmt.Sprintf("127.0.%d.%d", i/perNet, i%perNet+1)
	listener, err := net.Listen("tcp", address+":0")
	if err != nil {
		return nil, fmt.Errorf("faultsite: %w", err)
	}
	h.listener, h.Origin = listener, "http://"+listener.Addr().String()
	if h.fault != nil && h.fault.TLS() {
		h.Origin = "https://" + listener.Addr().String()
		if err := h.certify(o.Authority, address); err != nil {
			return nil, errors.Join(err, listener.Close())
		}
	}
	return h, nil
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
	h := s.at(origin)
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.published
}

func (s *Site) at(origin string) *host {
	for _, h := range s.hosts {
		if h.Origin == origin {
			return h
		}
	}
	return nil
}

// Close stops the site and aborts requests in flight. The report stays available.
func (s *Site) Close() error {
	s.mu.Lock()
	s.closed = true
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, h.listener.Close())
	}
	for c := range s.open {
		_ = c.Close() // it may be closed already
	}
	s.mu.Unlock()
	s.serving.Wait()
	return errors.Join(errs...)
}

// keep records an open connection. It returns false if the site is closed.
func (s *Site) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.open[c] = true
		s.report.Connections++
	}
	return !s.closed
}

func (s *Site) forget(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}
