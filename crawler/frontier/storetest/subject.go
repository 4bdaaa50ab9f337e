package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// a and b are the hosts of most checks.
const (
	a = frontier.Host("a.test")
	b = frontier.Host("b.test")
)

// A subject is the store under test, with the steps of checks as methods. A failed step ends the
// check.
type subject struct {
	testing.TB
	store    Store
	location string
	unit     time.Duration
	f        frontier.Frontier
	// opening is the total time that opening and closing the store took. Checks expect it to
	// be short.
	opening time.Duration
	step    string // current step of the script, for failures
}

// Fatalf fails with the current step of the script.
func (s *subject) Fatalf(format string, args ...any) {
	s.Helper()
	s.Fatal(s.step + fmt.Sprintf(format, args...))
}

func (s *subject) open() {
	s.Helper()
	defer s.addOpening(time.Now())
	f, err := s.store.Open(s.location)
	if err != nil {
		s.Fatalf("Open: %v", err)
	}
	s.f = f
}

func (s *subject) close() {
	s.Helper()
	defer s.addOpening(time.Now())
	if err := s.f.Close(); err != nil {
		s.Errorf("Close: %v", err)
	}
}

func (s *subject) addOpening(began time.Time) { s.opening += time.Since(began) }

// revisiter returns the store as a frontier.Revisiter, or skips the check.
func (s *subject) revisiter() frontier.Revisiter { return storeAs[frontier.Revisiter](s) }

// lister returns the store as a frontier.Lister, or skips the check.
func (s *subject) lister() frontier.Lister { return storeAs[frontier.Lister](s) }

func storeAs[T any](s *subject) T {
	s.Helper()
	f, ok := s.f.(T)
	if !ok {
		s.Skipf("the store does not implement %v", reflect.TypeFor[T]())
	}
	return f
}

// reopen closes the store and opens it again.
func (s *subject) reopen() {
	s.Helper()
	s.close()
	s.open()
}

func (s *subject) sleep(units int) { time.Sleep(time.Duration(units) * s.unit) }

// in returns the time this many units from now.
func (s *subject) in(units int) time.Time { return time.Now().Add(s.units(units)) }

func (s *subject) units(n int) time.Duration { return time.Duration(n) * s.unit }

func items(urls ...string) []frontier.Item {
	items := make([]frontier.Item, len(urls))
	for i, u := range urls {
		items[i].URL = u
	}
	return items
}

// urlOf returns the URL of a path on h.
func urlOf(h frontier.Host, path string) string { return "http://" + string(h) + path }

// spelledURL is urlOf with the n-th spelling of the host.
func spelledURL(n int, h frontier.Host, path string) string {
	return fmt.Sprintf([]string{"http://%s%s", "https://%s%s", "http://%s.%s", "https://%s.:80%s"}[n%4], h, path)
}

// numbered returns n URLs of h: h/0, h/1, …
func numbered(h frontier.Host, n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = urlOf(h, fmt.Sprintf("/%d", i))
	}
	return urls
}

// add adds URLs, which must all be new.
func (s *subject) add(urls ...string) {
	s.Helper()
	s.addItems(items(urls...)...)
}

func (s *subject) addItems(items ...frontier.Item) {
	s.Helper()
	for i, added := range s.addAny(items...) {
		if !added {
			s.Fatalf("Add: %s is reported as known", items[i].URL)
		}
	}
}

func (s *subject) addAny(items ...frontier.Item) []bool {
	s.Helper()
	added, err := s.f.Add(s.Context(), items)
	if err != nil || len(added) != len(items) {
		s.Fatalf("Add of %d = %v, %v", len(items), added, err)
	}
	return added
}

// leases leases URLs and fails on an error.
func (s *subject) leases(req frontier.LeaseRequest) []frontier.Lease {
	s.Helper()
	got, err := s.f.Lease(s.Context(), req)
	if err != nil {
		s.Fatalf("Lease: %v", err)
	}
	return got
}

// lease leases one URL without waiting. It must be url.
func (s *subject) lease(url string) frontier.Lease {
	s.Helper()
	return s.leaseFor(url, 0)
}

func (s *subject) leaseFor(url string, length time.Duration) frontier.Lease {
	s.Helper()
	return s.only(url, s.leases(frontier.LeaseRequest{Duration: length}))
}

// only returns the only lease, which must be of url, the text of a key.
func (s *subject) only(url string, got []frontier.Lease) frontier.Lease {
	s.Helper()
	if len(got) != 1 || got[0].Key().String() != url {
		s.Fatalf("leased %v, want %s", urlsOf(got), url)
	}
	return got[0]
}

// leaseAt waits for a lease, which must be of url and begin at the given time.
func (s *subject) leaseAt(url string, at time.Time) frontier.Lease {
	s.Helper()
	wait := time.Until(at) + 2*s.unit
	got := s.leases(frontier.LeaseRequest{Wait: max(wait, s.unit)})
	s.atTime("the lease of "+url, at)
	return s.only(url, got)
}

// atTime fails unless the time is now, or up to half a unit ago.
func (s *subject) atTime(what string, at time.Time) {
	s.Helper()
	switch late := time.Since(at); {
	case late < -time.Millisecond:
		s.Fatalf("%s came %v too early", what, -late)
	case late > s.unit/2:
		s.Fatalf("%s came %v too late", what, late)
	}
}

// none fails if anything can be leased now.
func (s *subject) none() {
	s.Helper()
	if got := s.leases(frontier.LeaseRequest{Max: 100}); len(got) > 0 {
		s.Fatalf("leased %v, want nothing", urlsOf(got))
	}
}

func urlsOf(leases []frontier.Lease) []string {
	urls := make([]string, len(leases))
	for i, l := range leases {
		urls[i] = l.URL
	}
	return urls
}

// finish ends l, which must be accepted.
func (s *subject) finish(l frontier.Lease, o frontier.Outcome) {
	s.Helper()
	if err := s.tryFinish(l.ID, o); err != nil {
		s.Fatalf("Finish of %s: %v", l.URL, err)
	}
}

func (s *subject) tryFinish(id frontier.LeaseID, o frontier.Outcome) error {
	s.Helper()
	o.Lease = id
	return s.note(nil, o)[0]
}

// done ends l as done, with no delay.
func (s *subject) done(l frontier.Lease) {
	s.Helper()
	s.finish(l, frontier.Outcome{Result: frontier.Done})
}

// lost fails unless err is ErrLeaseLost.
func (s *subject) lost(what string, err error) {
	s.Helper()
	if !errors.Is(err, frontier.ErrLeaseLost) {
		s.Fatalf("%s: %v, want %v", what, err, frontier.ErrLeaseLost)
	}
}

func (s *subject) update(h frontier.Host, u frontier.HostUpdate) {
	s.Helper()
	if err := s.f.UpdateHost(s.Context(), h, u); err != nil {
		s.Fatalf("UpdateHost: %v", err)
	}
}

func (s *subject) host(h frontier.Host) frontier.HostRecord {
	s.Helper()
	r, err := s.f.Host(s.Context(), h)
	if err != nil {
		s.Fatalf("Host: %v", err)
	}
	return r
}

func (s *subject) stats() frontier.Stats {
	s.Helper()
	st, err := s.f.Stats(s.Context())
	if err != nil {
		s.Fatalf("Stats: %v", err)
	}
	return st
}

// counts fails unless the store's counts are want.
func (s *subject) counts(want frontier.Counts) {
	s.Helper()
	if got := s.stats().Counts; got != want {
		s.Fatalf("counts are %+v, want %+v", got, want)
	}
}

// hold acquires a hold of h, and waits for at most ten units.
func (s *subject) hold(h frontier.Host) (release func(time.Duration)) {
	s.Helper()
	release, err := s.tryHold(h, 10)
	if err != nil {
		s.Fatalf("Hold: %v", err)
	}
	return release
}

func (s *subject) tryHold(h frontier.Host, units int) (release func(time.Duration), err error) {
	ctx, cancel := context.WithTimeout(s.Context(), s.units(units))
	defer cancel()
	return s.f.Hold(ctx, h)
}

// drain leases and finishes all URLs that are available without waiting, and returns them in that
// order.
func (s *subject) drain() (urls []string) {
	s.Helper()
	for {
		got := s.leases(frontier.LeaseRequest{})
		if len(got) == 0 {
			return urls
		}
		urls = append(urls, got[0].URL)
		s.done(got[0])
	}
}
