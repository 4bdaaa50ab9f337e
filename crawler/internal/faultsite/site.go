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

// Options change what Start serves. The zero value, and nil, is a host for each fault and
// each kind that it can befall, and a sound one.
type Options struct {
	// Hosts are the hosts of the site; nil: as [Everything] lists them.
	Hosts []Host
	// Pages is how long the chain of pages is that each host has beside those of the
	// package comment; 0: there is none, negative: it has no end, until [Site.Rest].
	Pages int
	// Delay is the least time that is to pass from the end of a request to the start of
	// the next on the same host, by which the site judges.
	Delay time.Duration
	// Beat is the time between two bytes of what is slow; 0: 20 ms.
	Beat time.Duration
	// Authority signs the certificates of hosts that speak TLS; nil: one that nobody
	// trusts.
	Authority *Authority
}

// ErrOptions is the class of errors about Options that nobody can serve.
var ErrOptions = errors.New("faultsite: invalid options")

// Site is a site of faults, being served. It is safe for concurrent use.
type Site struct {
	delay, beat time.Duration
	hosts       []*host
	resting     atomic.Bool
	serving     sync.WaitGroup

	mu     sync.Mutex // guards all below
	report Report
	open   map[net.Conn]bool // connections
	closed bool
}

// Start serves the hosts of opts on addresses of their own, from 127.0.0.1 on, each on
// any free port, until Close. The error is ErrOptions or what the system said.
func Start(opts *Options) (*Site, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Hosts == nil {
		o.Hosts = Everything()
	}
	if o.Authority == nil {
		var err error
		if o.Authority, err = NewAuthority(); err != nil {
			return nil, err
		}
	}
	s := &Site{
		delay: o.Delay, beat: cmp.Or(o.Beat, beat),
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

// perNet is how many hosts there are on each of 127.0.0.0/24, 127.0.1.0/24 and so on.
const perNet = 250

// newHost opens the i-th host.
func newHost(wanted Host, f *Fault, i int, o *Options) (*host, error) {
	h := &host{Place: Place{Host: wanted}, fault: f, pages: o.Pages}
	if (f == nil) != (wanted.Kind == Sound) || f != nil && f.Want(wanted.Kind).As == "" {
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

// Everything lists a host for each fault and each kind that it can befall, and a sound
// one.
func Everything() []Host {
	hosts := []Host{{Kind: Sound}}
	for _, f := range Faults() {
		for _, k := range []Kind{Page, Robots, Sitemap} {
			if f.Want(k).As != "" {
				hosts = append(hosts, Host{f.Name, k})
			}
		}
	}
	return hosts
}

// Places are the hosts of the site, in the order of Options.Hosts.
func (s *Site) Places() []Place {
	places := make([]Place, len(s.hosts))
	for i, h := range s.hosts {
		places[i] = h.Place
	}
	return places
}

// StartURLs are the front pages of all hosts.
func (s *Site) StartURLs() []string {
	urls := make([]string, len(s.hosts))
	for i, h := range s.hosts {
		urls[i] = h.Origin + frontPath
	}
	return urls
}

// Rest has no page link to a page that was not linked to before, so that a crawl of
// chains without end comes to one.
func (s *Site) Rest() { s.resting.Store(true) }

// Published is how many pages of the chain of a host were linked to so far: those of the
// numbers below.
func (s *Site) Published(origin string) int {
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

// Close ends the service at once, with what is being answered. What was recorded stays.
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

// keep notes a connection as long as it is open. It is false when the site is closed.
func (s *Site) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.open[c] = true
		s.report.Connected++
	}
	return !s.closed
}

func (s *Site) forget(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}
