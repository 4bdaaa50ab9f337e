package faultsite

import (
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// memory is how many requests to each host are remembered, and how many violations.
const memory = 64

// ledger is what is kept of the requests to one host. Its owner guards it.
type ledger struct {
	clock    demosite.DelayChecker
	known    bool // robots.txt was answered
	number   int  // of requests so far
	requests []demosite.Request
}

// Report is what the site saw, all hosts together.
type Report struct {
	Requests   int // connections that came to no request too
	Connected  int // connections
	Disallowed int // requests for what robots.txt closes
	// Faults is how often each was met with, by its name and what it befell, as in
	// "reset-in-body page".
	Faults map[string]int
	// Found is how many violations there are. Violations has the first of them.
	Found      int
	Violations []demosite.Violation
}

// note takes in a request that is over.
//
// Of one whose client has left before the end, the site learns only later, on a busy
// machine much later. It is judged by what was known when it came, and taken to have ended
// right then: that says of the next request too little rather than too much.
func (s *Site) note(h *host, x *exchange, fault bool) {
	r, left := x.seen, x.seen.End.IsZero()
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &h.ledger
	l.number++
	r.Number = l.number
	var found []demosite.Violation
	if left {
		r.End = r.Start
		found = x.last.Check(r, s.delay)
	} else {
		found = l.clock.Check(r, s.delay)
	}
	l.clock.Add(r)
	path, _, _ := strings.Cut(r.URI, "?")
	found = append(found, h.permission(r, path)...)
	if len(l.requests) == memory {
		l.requests = append(l.requests[:0], l.requests[1:]...)
	}
	l.requests = append(l.requests, r)
	s.add(h, fault, found)
}

// begins notes that the answer to a faulty request begins. A robots.txt without end is
// known before it ends, and that its client has left may show only after the next request.
func (h *host) begins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Kind == Robots && h.fault.Robots.Cut {
		h.ledger.known = true
	}
}

// permission asks whether a request was allowed. The host's mutex is held.
func (h *host) permission(r demosite.Request, path string) []demosite.Violation {
	l := &h.ledger
	switch {
	case r.Method == "": // a connection without a request
		return nil
	case path == robotsPath || h.Kind == Robots && strings.HasPrefix(path, faultPath+"/"):
		l.known = l.known || h.Kind != Robots || h.fault.Robots.As != Unreachable
		return nil
	case !l.known && h.Kind == Robots && l.number > 1:
		return []demosite.Violation{{Kind: demosite.WhileUnreachable, Request: r}}
	case !l.known:
		return []demosite.Violation{{Kind: demosite.BeforeRobots, Request: r}}
	case strings.HasPrefix(path, closedPath) && (h.Kind != Robots || h.fault.Robots.As == Rules && !h.fault.Robots.Opens):
		return []demosite.Violation{{Kind: demosite.DisallowedURL, Request: r}}
	}
	return nil
}

// add counts a request for the report. The host's mutex is held.
func (s *Site) add(h *host, fault bool, found []demosite.Violation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := &s.report
	rep.Requests++
	if fault {
		rep.Faults[h.Fault+" "+string(h.Kind)]++
	}
	for _, v := range found {
		if v.Kind == demosite.DisallowedURL {
			rep.Disallowed++
		}
	}
	rep.Found += len(found)
	rep.Violations = append(rep.Violations, found[:min(len(found), memory-len(rep.Violations))]...)
}

// Report is what the site saw so far, of requests that are over.
func (s *Site) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := s.report
	rep.Faults, rep.Violations = maps.Clone(rep.Faults), slices.Clone(rep.Violations)
	return rep
}

// Requests are the last requests to a host that are over, sixty-four at most, in the
// order in which they ended. One without a method is a connection that came to no
// request.
func (s *Site) Requests(origin string) []demosite.Request {
	h := s.at(origin)
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ledger.requests)
}
