package storetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var waitChecks = []check{
	{name: "until the context ends", run: func(s *subject) {
		ctx, cancel := context.WithTimeout(s.Context(), s.units(3))
		defer cancel()
		end := s.in(3)
		got, err := s.f.Lease(ctx, frontier.LeaseRequest{Wait: -1})
		s.atTime("the end", end)
		if !errors.Is(err, context.DeadlineExceeded) || len(got) > 0 {
			s.Fatalf("Lease = %v, %v", urlsOf(got), err)
		}
		s.add(one)
		s.lease(one) // the canceled call leased nothing
	}},
	{name: "until closed", run: func(s *subject) {
		errs := make(chan error)
		go func() {
			_, err := s.f.Lease(s.Context(), frontier.LeaseRequest{Wait: -1})
			errs <- err
		}()
		release := s.hold(a)
		go func() {
			_, err := s.f.Hold(s.Context(), a)
			errs <- err
		}()
		s.sleep(1)
		end := time.Now()
		s.close()
		for range 2 {
			if err := <-errs; !errors.Is(err, frontier.ErrClosed) {
				s.Errorf("a call that waits: %v, want %v", err, frontier.ErrClosed)
			}
		}
		s.atTime("the end", end)
		release(s.unit) // too late to do anything
	}},
	{name: "wakes when a hold is canceled", run: func(s *subject) {
		s.add(one, two)
		l := s.lease(one)
		ctx, cancel := context.WithCancel(s.Context())
		ended := make(chan error)
		go func() {
			release, err := s.f.Hold(ctx, a)
			if err == nil {
				release(0)
			}
			ended <- err
		}()
		s.sleep(1)
		due := s.in(2) // or later, if Finish takes long
		s.finish(l, frontier.Outcome{Result: frontier.Done, HostDelay: s.units(2)})
		s.wakesAt(two, func(time.Time) time.Time { return due }, func() {
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				s.Errorf("Hold: %v", err)
			}
		})
	}},
	{name: "each URL goes to one waiting worker", run: func(s *subject) {
		const workers = 20
		var mu sync.Mutex
		seen := make(map[string]int)
		ctx, cancel := context.WithTimeout(s.Context(), s.units(8))
		defer cancel()
		var wg sync.WaitGroup
		start := time.Now()
		for range workers {
			wg.Go(func() {
				got, err := s.f.Lease(ctx, frontier.LeaseRequest{Wait: s.units(6)})
				if err != nil || len(got) > 1 {
					s.Errorf("Lease = %v, %v", urlsOf(got), err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, l := range got {
					seen[l.URL]++
				}
			})
		}
		s.sleep(1)
		s.update(a, frontier.HostUpdate{MaxInFlight: workers})
		urls := numbered(a, workers/2)
		s.add(urls...)
		wg.Wait()
		for _, u := range urls {
			if seen[u] != 1 {
				s.Errorf("%s was leased %d times", u, seen[u])
			}
		}
		s.atTime("the end of calls without a lease", start.Add(s.units(6)))
	}},
}

// wakes checks that a waiting call leases url this many units after do.
func (s *subject) wakes(url string, units int, do func()) {
	s.Helper()
	s.wakesAt(url, func(did time.Time) time.Time { return did.Add(s.units(units)) }, do)
}

// wakesAt is wakes for a lease at a time that may depend on the start of do.
func (s *subject) wakesAt(url string, at func(did time.Time) time.Time, do func()) {
	s.Helper()
	did := make(chan time.Time, 1)
	var doing sync.WaitGroup
	defer doing.Wait()
	doing.Go(func() {
		s.sleep(1)
		did <- time.Now()
		do()
	})
	got := s.leases(frontier.LeaseRequest{Wait: s.units(10)})
	s.atTime("the lease", at(<-did))
	s.only(url, got)
}

// noneFor fails if anything can be leased within this many units, or if the call returns earlier or later.
func (p *scriptRun) noneFor(units int) {
	p.Helper()
	end := p.in(units)
	got := p.subject.leases(frontier.LeaseRequest{Wait: p.units(units)})
	p.atTime("the empty answer", end)
	if len(got) > 0 {
		p.Fatalf("leased %v, want nothing", urlsOf(got))
	}
}
