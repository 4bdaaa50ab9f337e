package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var listChecks = []check{
	{name: "the caller's bytes are its own", run: func(s *subject) {
		it := frontier.Item{URL: one, Meta: []byte("meta")}
		s.addItems(it, frontier.Item{URL: two, Meta: []byte("meta"), NotBefore: s.in(9)})
		for range 2 {
			for it, err := range s.lister().Waiting(s.Context(), a) {
				if err != nil || string(it.Meta) != "meta" {
					s.Fatalf("Waiting = %+v, %v", it, err)
				}
				clear(it.Meta)
			}
		}
	}},
	{name: "during concurrent calls", run: func(s *subject) {
		// URLs that are neither leased nor added during the loop must be listed once, all
		// others at most once.
		const each = 1500 // more than a batch is likely to be
		s.unit /= 4       // no upper limits are checked
		s.update(a, frontier.HostUpdate{MaxInFlight: each})
		scheduled := make([]frontier.Item, each)
		for i := range scheduled {
			scheduled[i] = frontier.Item{URL: fmt.Sprintf("http://%s/at/%d", a, i), NotBefore: s.in(5 + i%10)}
		}
		s.addItems(scheduled...)
		s.add(numbered(a, each)...)
		// The first URL is done, and revisited during the loop.
		first := s.lease(urlOf(a, "/0"))
		s.done(first)
		n, met, moved := 0, make(map[string]int), map[string]bool{first.URL: true}
		for it, err := range s.lister().Waiting(s.Context(), a) {
			if err != nil {
				s.Fatalf("Waiting: %v", err)
			}
			met[it.URL]++
			switch n++; {
			case n%100 == 0:
				s.addAny(items(fmt.Sprintf("http://%s/new/%d", a, n))...)
			case n%100 == 50:
				for _, r := range []frontier.Outcome{{Result: frontier.Retry}, {Result: frontier.Retry, NotBefore: s.in(90)}, {Result: frontier.Drop}} {
					l := s.leaseOf(a)
					moved[l.URL] = true
					s.finish(l, r)
				}
			case n == 60:
				s.revisit([]bool{true}, items(first.URL)...)
			case n%300 == 7:
				s.sleep(1) // some become due
			}
		}
		for url, times := range met {
			if times != 1 {
				s.Errorf("%s is listed %d times", url, times)
			}
		}
		for _, it := range slices.Concat(scheduled, items(numbered(a, each)...)) {
			if met[it.URL] == 0 && !moved[it.URL] {
				s.Errorf("%s is not listed", it.URL)
			}
		}
	}},
	{name: "break and errors", run: func(s *subject) {
		s.addItems(frontier.Item{URL: one, NotBefore: s.in(9)}, frontier.Item{URL: two}, frontier.Item{URL: "http://b.test/1"})
		for n := range 3 {
			for it, err := range s.lister().Waiting(s.Context()) {
				if err != nil || it.URL == "" {
					s.Fatalf("Waiting = %+v, %v", it, err)
				}
				if n--; n < 0 {
					break
				}
			}
		}
		ctx, cancel := context.WithCancel(s.Context())
		defer cancel()
		var errs []error
		for _, err := range s.lister().Waiting(ctx) {
			cancel() // in the middle
			errs = append(errs, err)
		}
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) {
			s.Errorf("Waiting with a context that ends: %v", errs)
		}
		s.waitingFails(ctx, context.Canceled)
		s.close()
		s.waitingFails(s.Context(), frontier.ErrClosed)
	}},
}

// leaseOf leases the next URL of h without waiting.
func (s *subject) leaseOf(h frontier.Host) frontier.Lease {
	s.Helper()
	var mine *frontier.Lease
	for _, l := range s.leases(frontier.LeaseRequest{Max: 2, PerHost: 1}) {
		if l.Host == h {
			mine = &l
		} else {
			s.finish(l, frontier.Outcome{Result: frontier.Defer})
		}
	}
	if mine == nil {
		s.Fatalf("there is nothing to lease of %s", h)
	}
	return *mine
}

// waitsOf fails unless exactly these items of hosts are listed, in any order, with the hosts of
// their URLs.
func (s *subject) waitsOf(hosts []frontier.Host, want ...frontier.Item) {
	s.Helper()
	byKey := func(p, q frontier.Item) int { return strings.Compare(p.Key().String(), q.Key().String()) }
	want = slices.Clone(want)
	for i := range want {
		want[i].Host, _ = frontier.HostOf(want[i].URL)
	}
	slices.SortFunc(want, byKey)
	var got []frontier.Item
	for it, err := range s.lister().Waiting(s.Context(), hosts...) {
		if err != nil {
			s.Fatalf("Waiting: %v", err)
		}
		got = append(got, it)
	}
	slices.SortFunc(got, byKey)
	sameTime := cmp.Comparer(func(t, u time.Time) bool { return t.IsZero() == u.IsZero() && t.Sub(u).Abs() <= s.unit/2 })
	if diff := cmp.Diff(want, got, sameTime); diff != "" {
		s.Fatalf("Waiting(%q) (-want +got):\n%s", hosts, diff)
	}
}

func (s *subject) waitingFails(ctx context.Context, want error) {
	s.Helper()
	n := 0
	for it, err := range s.lister().Waiting(ctx, a) {
		n++
		if it.URL != "" || !errors.Is(err, want) {
			s.Errorf("Waiting = %+v, %v, want %v", it, err, want)
		}
	}
	if n != 1 {
		s.Errorf("a list that ends with %v has %d elements", want, n)
	}
}
