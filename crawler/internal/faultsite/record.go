package faultsite

import (
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// maxRemembered is the number of requests, and of violations, that the site keeps.
const maxRemembered = 64

// A ledger has the requests to one host. The mutex of the host guards it.
type ledger struct {
	clock  testserver.DelayChecker
	known  bool // robots.txt was answered
	number int  // of requests so far
}

// A Report describes the requests to all hosts.
type Report struct {
	Requests   int // including connections without a request
	Disallowed int // requests for disallowed URLs
	// Faults counts faulty responses by name and kind, such as "reset-in-body page".
	Faults map[string]int
	// ViolationCount is the number of violations. Violations has the first of them.
	ViolationCount int
	Violations     []testserver.Finding
	// Last has the last requests that have ended, in the order of their ends. A request without a
	// method is a connection without a request.
	Last []testserver.Request
}

// note records a request that has ended, and checks it, once.
//
// If the client aborted the request, the site learns that late. Then it checks the request with
// the state at its start, and uses its start as its end. So it may miss a violation, but reports
// no false one.
func (s *Site) note(x *exchange) {
	if x.noted {
		return
	}
	x.noted = true
	h, r, left := x.host, x.seen, x.seen.End.IsZero()
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &h.ledger
	l.number++
	r.Number = l.number
	var found []testserver.Finding
	if left {
		r.End = r.Start
		found = x.last.Check(r, s.delay)
	} else {
		found = l.clock.Check(r, s.delay)
	}
	l.clock.Add(r)
	path, _, _ := strings.Cut(r.URI, "?")
	found = append(found, h.permission(r, path)...)
	s.add(h, r, x.faulty, found)
}

// begins records the start of a faulty response. A robots.txt without end is known from its
// start.
func (h *host) begins() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Kind == Robots && h.fault.Robots.Truncated {
		h.ledger.known = true
	}
}

// permission checks whether a request was allowed. The mutex of the host is held.
func (h *host) permission(r testserver.Request, path string) []testserver.Finding {
	l := &h.ledger
	switch {
	case r.Method == "": // a connection without a request
		return nil
	case path == robotsPath || h.Kind == Robots && strings.HasPrefix(path, faultPath+"/"):
		l.known = l.known || h.Kind != Robots || h.fault.Robots.Outcome != Unreachable
		return nil
	case !l.known && h.Kind == Robots && l.number > 1:
		return []testserver.Finding{{Kind: testserver.WhileUnreachable, Request: r}}
	case !l.known:
		return []testserver.Finding{{Kind: testserver.BeforeRobots, Request: r}}
	case strings.HasPrefix(path, closedPath) && (h.Kind != Robots || h.fault.Robots.Outcome == Rules && !h.fault.Robots.NoRules):
		return []testserver.Finding{{Kind: testserver.DisallowedURL, Request: r}}
	}
	return nil
}

// add counts a request in the report. The mutex of the host is held.
func (s *Site) add(h *host, r testserver.Request, fault bool, found []testserver.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := &s.report
	rep.Requests++
	if len(rep.Last) == maxRemembered {
		rep.Last = append(rep.Last[:0], rep.Last[1:]...)
	}
	rep.Last = append(rep.Last, r)
	if fault {
		rep.Faults[h.Fault+" "+string(h.Kind)]++
	}
	for _, v := range found {
		if v.Kind == testserver.DisallowedURL {
			rep.Disallowed++
		}
	}
	rep.ViolationCount += len(found)
	rep.Violations = append(rep.Violations, found[:min(len(found), maxRemembered-len(rep.Violations))]...)
}

// Report returns the report on all requests that have ended.
func (s *Site) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := s.report
	rep.Faults, rep.Violations, rep.Last = maps.Clone(rep.Faults), slices.Clone(rep.Violations), slices.Clone(rep.Last)
	return rep
}
