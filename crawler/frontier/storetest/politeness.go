package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var (
	one = urlOf(a, "/1")
	two = urlOf(a, "/2")
)

var politenessChecks = []check{
	{name: "a clock that is set back", needs: []need{settable}, run: func(s *subject) {
		s.add(one, two, "http://b.test/1")
		s.update(b, frontier.HostUpdate{BlockUntil: s.in(3)})
		s.finish(s.lease(one), frontier.Outcome{Result: frontier.Done, HostDelay: s.units(3)})
		start := time.Now()
		s.store.SetClockBack(s, time.Hour)
		defer s.store.SetClockBack(s, -time.Hour)
		// A store that uses only the wall clock may wait for the hour, so the end of the
		// wait is not checked.
		for time.Since(start) < s.units(3)-s.unit/2 {
			s.none()
			time.Sleep(s.unit / 4)
		}
	}},
	{name: "after a kill with a request in flight", needs: killable, process: true, run: func(s *subject) { s.requestAndKill("request") }},
	{name: "after a kill with a hold", needs: killable, process: true, run: func(s *subject) { s.requestAndKill("hold") }},
	{name: "many workers at once", heavy: true, run: func(s *subject) {
		const workers, hosts, each = 8, 4, 10
		s.unit /= 4 // no upper limits are checked
		slots := func(h int) int { return 1 + h/2 }
		delay := func(h int) time.Duration { return s.units(h % 2) }
		for h := range hosts {
			name := frontier.Host(fmt.Sprintf("h%d.test", h))
			s.update(name, frontier.HostUpdate{MaxInFlight: slots(h), Delay: new(delay(h))})
			s.add(numbered(name, each)...)
		}
		var mu sync.Mutex // guards the maps
		inFlight, last, leased := make(map[int]int), make(map[int]time.Time), make(map[string]int)
		begin := func(h int, url string) {
			mu.Lock()
			defer mu.Unlock()
			if inFlight[h]++; inFlight[h] > slots(h) {
				s.Errorf("%d requests in flight to a host with %d slots", inFlight[h], slots(h))
			}
			if early := time.Until(last[h].Add(delay(h))); early > time.Millisecond {
				s.Errorf("a host was leased from %v too early", early)
			}
			leased[url]++
		}
		end := func(h int) {
			mu.Lock()
			defer mu.Unlock()
			if inFlight[h]--; slots(h) == 1 { // else the delay is from start to start
				last[h] = time.Now()
			}
		}
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					got, err := s.f.Lease(s.Context(), frontier.LeaseRequest{Wait: s.units(8)})
					if err != nil {
						s.Errorf("Lease: %v", err)
					}
					if len(got) == 0 {
						return
					}
					var h int
					_, _ = fmt.Sscanf(string(got[0].Host), "h%d", &h)
					begin(h, got[0].URL)
					time.Sleep(s.unit / 10)
					end(h)
					o := frontier.Outcome{Lease: got[0].ID, Result: frontier.Done, HostDelay: time.Nanosecond}
					if errs, err := s.f.Finish(s.Context(), []frontier.Outcome{o}, nil); err != nil || errs[0] != nil {
						s.Errorf("Finish = %v, %v", errs, err)
					}
				}
			})
		}
		wg.Wait()
		for url, n := range leased {
			if n != 1 {
				s.Errorf("%s was leased %d times", url, n)
			}
		}
		s.counts(frontier.Counts{URLs: hosts * each, Done: hosts * each})
	}},
	{name: "PerHost in concurrent calls", heavy: true, run: func(s *subject) {
		const workers, urls = 8, 500
		s.update(a, frontier.HostUpdate{MaxInFlight: urls})
		soon := items(numbered(a, urls)...) // due in groups of four, during concurrent calls
		start := s.in(1)
		for i := range soon {
			soon[i].NotBefore = start.Add(s.units(1) * time.Duration(i/4*4) / urls)
		}
		s.addItems(soon...)
		end := s.in(40)
		var leased atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for leased.Load() < urls && time.Now().Before(end) {
					got, err := s.f.Lease(s.Context(), frontier.LeaseRequest{Max: 10, PerHost: 1})
					if err != nil || len(got) > 1 {
						s.Errorf("Lease of one URL of a host = %v, %v", urlsOf(got), err)
						return
					}
					if leased.Add(int64(len(got))); len(got) == 0 {
						time.Sleep(s.unit / 1000)
					}
				}
			})
		}
		wg.Wait()
		if n := leased.Load(); n != urls && !s.Failed() {
			s.Errorf("%d URLs were leased, want %d", n, urls)
		}
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
		due := s.in(3) // the hold lasts 2, and its delay is 1
		s.done(l)
		waiting.Wait()
		s.atTime("the lease that waited longer than the hold", due)
		if holdErr != nil || leaseErr != nil || len(got) != 1 || got[0].URL != two {
			s.Fatalf("Hold: %v; Lease = %v, %v, want %s", holdErr, urlsOf(got), leaseErr, two)
		}
	}},
}

// requestAndKill kills a child that has just sent a request to a.
func (s *subject) requestAndKill(how string) {
	s.Helper()
	s.close()
	c := s.start(how, s.unit.String())
	if got := c.line(); got != "started" {
		s.Fatalf("the child prints %q, want started", got)
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

// nohold fails if a host can be held within a time.
func (p *scriptRun) nohold(w args) {
	p.Helper()
	units := p.number(w.opts["for"])
	end := p.in(units)
	if _, err := p.tryHold(hostOf(w.list[0]), units); !errors.Is(err, context.DeadlineExceeded) {
		p.Fatalf("Hold: %v, want %v", err, context.DeadlineExceeded)
	}
	p.atTime("the end of Hold", end)
}
