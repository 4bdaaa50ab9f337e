package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var (
	one   = urlOf(a, "/1")
	two   = urlOf(a, "/2")
	three = urlOf(a, "/3")
)

var politenessChecks = []check{
	{name: "one in flight", run: func(s *subject) {
		s.add(one, two)
		s.add("http://b.test/1")
		if got := s.leases(frontier.LeaseRequest{Max: 10}); len(got) != 2 || got[0].Host == got[1].Host {
			s.Fatalf("leased %v, want one of each host", urlsOf(got))
		} else {
			s.none()
			s.done(got[0])
		}
		s.lease(two)
	}},
	{name: "several in flight", run: func(s *subject) {
		s.update(a, frontier.HostUpdate{MaxInFlight: 3})
		urls := numbered(a, 6)
		s.add(urls...)
		if got := s.leases(frontier.LeaseRequest{Max: 10, PerHost: 2}); len(got) != 2 {
			s.Fatalf("leased %v, want 2", urlsOf(got))
		}
		got := s.leases(frontier.LeaseRequest{Max: 10})
		if len(got) != 1 {
			s.Fatalf("leased %v, want 1", urlsOf(got))
		}
		s.done(got[0])
		s.lease(urls[3])
		s.update(a, frontier.HostUpdate{MaxInFlight: 1})
		s.none()
	}},
	{name: "ROB-POL-02 from end to start", run: func(s *subject) {
		s.add(one, two, three)
		l := s.lease(one)
		s.sleep(2)
		due := s.in(3)
		s.finish(l, frontier.Outcome{Result: frontier.Done, HostDelay: s.units(3)})
		s.due(a, due)
		l = s.leaseAt(two, due)
		due = s.in(2)
		s.finish(l, frontier.Outcome{Result: frontier.Retry, HostDelay: s.units(2)})
		s.leaseAt(two, due)
	}},
	{name: "ROB-POL-02 the longer of both delays", run: func(s *subject) {
		s.delay(a, 3)
		s.add(one, two, three)
		due := s.in(3)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(1)})
		l := s.leaseAt(two, due)
		due = s.in(5)
		s.finish(l, frontier.Outcome{Result: frontier.Done, HostDelay: s.units(5)})
		s.leaseAt(three, due)
	}},
	{name: "ROB-POL-02 from start to start", run: func(s *subject) {
		s.update(a, frontier.HostUpdate{MaxInFlight: 2, Delay: new(s.units(2))})
		s.add(numbered(a, 4)...)
		due := s.in(2)
		first := s.lease("http://a.test/0")
		s.none()
		second := s.leaseAt("http://a.test/1", due)
		due = due.Add(s.units(2))
		s.sleep(1)
		s.finish(first, frontier.Outcome{Result: frontier.Done, HostDelay: time.Nanosecond})
		third := s.leaseAt("http://a.test/2", due)
		due = due.Add(s.units(5))
		s.done(second)
		s.finish(third, frontier.Outcome{Result: frontier.Done, HostDelay: s.units(5)})
		s.leaseAt("http://a.test/3", due)
	}},
	{name: "no request was made", run: func(s *subject) {
		s.delay(a, 3)
		s.add(one, two)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Drop})
		s.done(s.lease(two))

		s.update(b, frontier.HostUpdate{MaxInFlight: 2, Delay: new(s.units(4))})
		s.add(numbered(b, 3)...)
		due := s.in(4)
		l := s.lease("http://b.test/0")
		s.finish(l, frontier.Outcome{Result: frontier.Retry, HostDelay: time.Nanosecond})
		l = s.leaseAt("http://b.test/0", due)
		s.done(l) // nothing was sent, so that the clock stands as before
		s.lease("http://b.test/1")
	}},
	{name: "a lease that expires was a request", run: func(s *subject) {
		s.delay(a, 2)
		s.add(one)
		l := s.leaseFor(one, s.units(3))
		s.leaseAt(one, l.Expires.Add(s.units(2)))
	}},
	{name: "other hosts do not wait", run: func(s *subject) {
		s.add(one, two)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(50)})
		s.add("http://b.test/1", "http://a.test:8080/1", "https://www.a.test/1")
		if got := s.leases(frontier.LeaseRequest{Max: 10}); len(got) != 3 {
			s.Fatalf("leased %v, want 3", urlsOf(got))
		}
	}},
	{name: "ROB-POL-04 blocked until", run: func(s *subject) {
		s.add(one, "http://b.test/1")
		until := s.in(4)
		s.update(a, frontier.HostUpdate{BlockUntil: until})
		s.update(a, frontier.HostUpdate{BlockUntil: s.in(1)}) // lifts nothing
		if got := s.host(a).BlockedUntil; got.Sub(until).Abs() > s.unit/2 {
			s.Fatalf("blocked until %v, want %v", got, until)
		}
		s.due(a, until)
		s.lease("http://b.test/1")
		s.none()
		s.leaseAt(one, until)
		if r := s.host(a); !r.BlockedUntil.IsZero() || !r.Due.IsZero() {
			s.Fatalf("a block that has passed is still told: %+v", r)
		}
	}},
	{name: "a clock that is set back", why: func(s Store) string {
		if s.StepClock == nil {
			return "the store's clock cannot be set (Store.StepClock)"
		}
		return ""
	}, run: func(s *subject) {
		s.add(one, two, "http://b.test/1")
		s.update(b, frontier.HostUpdate{BlockUntil: s.in(3)})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(3)})
		start := time.Now()
		s.store.StepClock(s, time.Hour)
		defer s.store.StepClock(s, -time.Hour)
		// A store that counts in wall time alone may make us wait for the
		// hour, so nothing is said of the end.
		for time.Since(start) < s.units(3)-s.unit/2 {
			s.none()
			time.Sleep(s.unit / 4)
		}
	}},
	{name: "after reopening", why: needDurable, run: func(s *subject) {
		s.delay(a, 3)
		blocked := s.in(6)
		s.update(b, frontier.HostUpdate{BlockUntil: blocked})
		s.add(one, two, "http://b.test/1")
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: time.Nanosecond})
		s.sleep(1)
		due := s.in(3) // or a little later, when the store is open
		s.reopen()
		s.leaseAt(two, due)
		s.leaseAt("http://b.test/1", blocked)
	}},
	{name: "after reopening with a request on its way", why: needDurable, run: func(s *subject) {
		s.delay(a, 3)
		s.add(one)
		s.lease(one)
		s.sleep(1)
		due := s.in(3) // or a little later, when the store is open
		s.reopen()
		s.leaseAt(one, due)
	}},
	{name: "after a kill with a request on its way", why: needChild, process: true, run: func(s *subject) { s.askAndDie("ask") }},
	{name: "after a kill with a hold", why: needChild, process: true, run: func(s *subject) { s.askAndDie("hold") }},
	{name: "hold takes a slot", run: func(s *subject) {
		s.add(one, two)
		release := s.hold(a)
		s.none()
		release(0)
		l := s.lease(one)
		ctx, cancel := context.WithTimeout(s.Context(), s.units(2))
		defer cancel()
		end := s.in(2)
		if _, err := s.f.Hold(ctx, a); !errors.Is(err, context.DeadlineExceeded) {
			s.Fatalf("Hold beside a lease: %v", err)
		}
		s.atTime("the end of Hold", end)
		s.done(l)
		s.lease(two) // nothing is left of the hold that was given up
	}},
	{name: "hold keeps and sets the clock", run: func(s *subject) {
		s.add(one, two)
		due := s.in(3)
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(3)})
		release := s.hold(a)
		s.atTime("the hold", due)
		s.sleep(1)
		due = s.in(2)
		release(s.units(2))
		release(s.units(50)) // has been released
		s.leaseAt(two, due)
	}},
	{name: "hold goes first", run: func(s *subject) {
		s.add(one, two)
		l := s.lease(one)
		ctx, cancel := context.WithTimeout(s.Context(), s.units(8))
		defer cancel()
		var got []frontier.Lease
		var release func(time.Duration)
		var leaseErr, holdErr error
		var waiting sync.WaitGroup
		waiting.Go(func() { got, leaseErr = s.f.Lease(ctx, frontier.LeaseRequest{Wait: -1}) })
		s.sleep(1)
		waiting.Go(func() {
			if release, holdErr = s.f.Hold(ctx, a); holdErr == nil {
				s.sleep(2)
				release(s.units(1))
			}
		})
		s.sleep(1)
		due := s.in(3) // the hold lasts 2, and asks for 1
		s.done(l)
		waiting.Wait()
		s.atTime("the lease that waited longer than the hold", due)
		if holdErr != nil || leaseErr != nil || len(got) != 1 || got[0].URL != two {
			s.Fatalf("Hold: %v; Lease = %v, %v, want %s", holdErr, urlsOf(got), leaseErr, two)
		}
	}},
	{name: "hold of a host not known", run: func(s *subject) {
		release := s.hold(a)
		due := s.in(2)
		release(s.units(2))
		s.add(one)
		s.leaseAt(one, due)
	}},
}

// askAndDie has a child begin a request to a, and kills it at that moment.
func (s *subject) askAndDie(how string) {
	s.Helper()
	s.close()
	c := s.start(how, s.unit.String())
	if got := c.line(); got != "asked" {
		s.Fatalf("the child says %q, want asked", got)
	}
	c.kill()
	due := s.in(1) // or a little later, when the store is open
	s.open()
	s.addAny(items(one)...)
	got := s.leases(frontier.LeaseRequest{Wait: s.units(10)})
	if early := time.Until(due); len(got) != 1 || early > time.Millisecond {
		s.Fatalf("leased %v, %v too early", urlsOf(got), early)
	}
}

// due fails unless h is due at that time.
func (s *subject) due(h frontier.Host, at time.Time) {
	s.Helper()
	if got := s.host(h).Due; got.Sub(at).Abs() > s.unit/2 {
		s.Fatalf("%s is due at %v, want %v", h, got, at)
	}
}
