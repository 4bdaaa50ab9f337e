package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const page = "http://a.test/page"

var expiryChecks = []check{
	{name: "after it expires, never before", run: func(s *subject) {
		s.add(page)
		for attempt := 1; attempt <= 3; attempt++ {
			start := time.Now()
			l := s.leaseFor(page, s.units(3))
			if l.Attempt != attempt {
				s.Fatalf("attempt %d, want %d", l.Attempt, attempt)
			}
			if length := l.Expires.Sub(start); length < s.units(3)-time.Millisecond || length > s.units(4) {
				s.Fatalf("a lease for %v expires after %v", s.units(3), length)
			}
			s.sleep(2)
			s.none()
			s.sleep(2)
		}
	}},
	{name: "to one who waits", run: func(s *subject) {
		s.add(page)
		l := s.leaseFor(page, s.units(3))
		if again := s.leaseAt(page, l.Expires); again.Attempt != 2 || again.ID == l.ID {
			s.Fatalf("attempt %d, lease %q after %q", again.Attempt, again.ID, l.ID)
		}
	}},
	{name: "later when extended", run: func(s *subject) {
		s.add(page)
		l := s.leaseFor(page, s.units(2))
		s.sleep(1)
		end := s.in(4)
		if err := s.f.Extend(s.Context(), []frontier.LeaseID{l.ID}, s.units(4)); err != nil {
			s.Fatalf("Extend: %v", err)
		}
		if err := s.f.Extend(s.Context(), []frontier.LeaseID{l.ID}, s.units(1)); err != nil {
			s.Fatalf("Extend by less: %v", err)
		}
		s.leaseAt(page, end)
	}},
	{name: "attempts by result", run: func(s *subject) {
		s.add(page)
		for _, step := range []struct {
			result  frontier.Result
			attempt int
		}{
			{frontier.Defer, 1}, {frontier.Defer, 1}, {frontier.Retry, 1}, {frontier.Defer, 2}, {frontier.Retry, 2},
			{frontier.Done, 3}, {frontier.Retry, 1}, {frontier.Drop, 2},
		} {
			l := s.lease(page)
			if l.Attempt != step.attempt {
				s.Fatalf("attempt %d before %v, want %d", l.Attempt, step.result, step.attempt)
			}
			s.finish(l, frontier.Outcome{Result: step.result, NotBefore: time.Now()})
		}
	}},
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		s.add(page, page+"2")
		for attempt := 1; attempt <= 3; attempt++ {
			if l := s.lease(page); l.Attempt != attempt {
				s.Fatalf("attempt %d, want %d", l.Attempt, attempt)
			}
			s.none()
			s.reopen()
		}
		s.finish(s.lease(page), frontier.Outcome{Result: frontier.Retry, NotBefore: s.in(1)})
		s.reopen()
		s.done(s.lease(page + "2"))
		s.sleep(2)
		if l := s.lease(page); l.Attempt != 5 {
			s.Fatalf("attempt %d after a retry, want 5", l.Attempt)
		}
	}},
	{name: "a page that kills the process is counted", why: needChild, process: true, run: func(s *subject) {
		s.add(page)
		s.close()
		for attempt := 1; attempt <= 3; attempt++ {
			if got, want := leaseAndDie(s), fmt.Sprint("attempt ", attempt); got != want {
				s.Fatalf("the child says %q, want %q", got, want)
			}
		}
		s.open()
		if l := s.lease(page); l.Attempt != 4 {
			s.Fatalf("attempt %d after three processes that died of it, want 4", l.Attempt)
		}
	}},
}

// leaseAndDie lets a child lease a page, kills the child, and returns what it
// said.
func leaseAndDie(s *subject) string {
	s.Helper()
	c := s.start("lease")
	line := c.line()
	// A store may count the attempt in the background: a page that brings
	// the process down takes longer than this.
	time.Sleep(50 * time.Millisecond)
	c.kill()
	return strings.TrimSpace(line)
}
