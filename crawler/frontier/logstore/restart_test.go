package logstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

// TestRestart closes and opens a store: no host is due earlier than without a restart.
func TestRestart(t *testing.T) {
	const host, one, two = frontier.Host("a.test"), "http://a.test/1", "http://a.test/2"
	ctx := context.Background()
	opts := &Options{LeaseTime: 20 * time.Second}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, s *Store)
		due  time.Duration // after the restart, which is 5 s after do
	}{
		{"asked for nothing", func(t *testing.T, s *Store) {
			finish(t, s, leaseURL(t, s, one), frontier.Outcome{Result: frontier.Done})
		}, 0},
		{"the request asked for more than the host", func(t *testing.T, s *Store) {
			finish(t, s, leaseURL(t, s, one), frontier.Outcome{Result: frontier.Done, HostDelay: 30 * time.Second})
		}, 25 * time.Second},
		{"the host asks for more", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{Delay: new(10 * time.Second)})
			finish(t, s, leaseURL(t, s, one), frontier.Outcome{Result: frontier.Done, HostDelay: 3 * time.Second})
		}, 10 * time.Second},
		{"the host is asked at the moment", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{Delay: new(10 * time.Second)})
			leaseURL(t, s, one)
		}, 10 * time.Second},
		{"never asked, as far as is known", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{Delay: new(10 * time.Second)})
		}, 10 * time.Second},
		{"blocked", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{BlockUntil: time.Now().Add(time.Minute)})
		}, 55 * time.Second},
		{"held", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{Delay: new(10 * time.Second)})
			if _, err := s.Hold(ctx, host); err != nil {
				t.Fatal(err)
			}
		}, 10 * time.Second},
		{"a hold asked for more", func(t *testing.T, s *Store) {
			release, err := s.Hold(ctx, host)
			must(t, err)
			release(30 * time.Second)
		}, 25 * time.Second},
		{"slots from start to start", func(t *testing.T, s *Store) {
			update(t, s, host, frontier.HostUpdate{MaxInFlight: 2})
			l := leaseURL(t, s, one)
			time.Sleep(time.Second)
			finish(t, s, l, frontier.Outcome{Result: frontier.Done, HostDelay: 30 * time.Second})
		}, 24 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			// The result must not depend on whether the host is still in memory at the end, or
			// was written and dropped.
			for name, pending := range map[string]bool{"in memory": true, "forgotten": false} {
				synctest.Test(t, func(t *testing.T) {
					dir := t.TempDir()
					s := open(t, dir, opts)
					addURLs(t, s, one)
					if pending {
						addURLs(t, s, two)
					}
					c.do(t, s)
					time.Sleep(5 * time.Second)
					closeStore(t, s)
					s = open(t, dir, opts)
					defer s.Close()
					if !pending {
						addURLs(t, s, two)
					}
					start := time.Now()
					got, err := s.Lease(ctx, frontier.LeaseRequest{Wait: time.Hour})
					if waited := time.Since(start); err != nil || len(got) != 1 || waited < c.due || waited > c.due+2*time.Millisecond {
						t.Errorf("%s: leased %v, %v after %v, want %v", name, got, err, waited, c.due)
					}
				})
			}
		})
	}
}

// TestSettingsSurviveRestart changes the delay of a host, which is then dropped from memory. The host
// waits for the delays of its requests, not for a delay from the start of the store.
func TestSettingsSurviveRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const host, url = frontier.Host("a.test"), "http://a.test/1"
		s := open(t, t.TempDir(), nil)
		defer s.Close()
		addURLs(t, s, url)
		finish(t, s, leaseURL(t, s, url), frontier.Outcome{Result: frontier.Done, HostDelay: time.Second})
		time.Sleep(2 * time.Second)
		update(t, s, host, frontier.HostUpdate{Delay: new(time.Hour)})
		forget(t, s)
		addURLs(t, s, "http://a.test/2")
		leaseURL(t, s, "http://a.test/2")
	})
}

// TestCountsAfterKill kills a process whose last record of a host has outdated counts.
func TestCountsAfterKill(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	defer s.Close()
	addURLs(t, s, "http://a.test/1")
	finish(t, s, leaseURL(t, s, "http://a.test/1"), frontier.Outcome{Result: frontier.Done, HostDelay: time.Hour})
	again := open(t, copyOf(t, dir, lockName), nil)
	defer again.Close()
	want := frontier.Counts{URLs: 1, Done: 1}
	if h, err := again.Host(t.Context(), "a.test"); err != nil || h.Counts != want || time.Until(h.Due) < 59*time.Minute {
		t.Errorf("Host = %+v, %v; want %+v, due in an hour", h, err, want)
	}
}

// forget waits until no host is in memory.
func forget(t testing.TB, s *Store) {
	t.Helper()
	for range 10_000 {
		must(t, s.flush())
		now, err := s.sched.Enter(t.Context())
		must(t, err)
		n := len(s.hosts) + len(s.idle)
		s.sched.Exit(now)
		if n == 0 {
			return
		}
	}
	t.Fatal("hosts are not forgotten")
}

func TestClosedWhileWaiting(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	errs, begun := make(chan error), make(chan struct{}, 8)
	for range 8 {
		go func() {
			for n := 0; ; n++ {
				if n == 10 {
					begun <- struct{}{}
				}
				if _, err := s.Add(context.Background(), itemsOf("http://a.test/1")); err != nil {
					errs <- err
					return
				}
				if _, err := s.Host(context.Background(), "b.test"); err != nil {
					errs <- err
					return
				}
			}
		}()
	}
	for range 8 {
		<-begun
	}
	closeStore(t, s)
	for range 8 {
		if err := <-errs; !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("%v, want %v", err, frontier.ErrClosed)
		}
	}
}

// TestUnloadsHostOfManyScheduled makes several URLs of a host due at once. After all are done,
// the host is dropped from memory.
func TestUnloadsHostOfManyScheduled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, t.TempDir(), nil)
		defer s.Close()
		due := time.Now().Add(time.Second)
		addItems(t, s, frontier.Item{URL: "http://a.test/1"},
			frontier.Item{URL: "http://a.test/2", NotBefore: due}, frontier.Item{URL: "http://a.test/3", NotBefore: due})
		time.Sleep(2 * time.Second)
		if urls, err := loadtest.Drain(t.Context(), s, 1, 0); err != nil || len(urls) != 3 {
			t.Errorf("%q, %v", urls, err)
		}
		forget(t, s)
	})
}

// TestConcurrentHostUnloading loads and drops hosts during concurrent calls.
func TestConcurrentHostUnloading(t *testing.T) {
	const workers, each, hosts = 8, 150, 20
	dir := t.TempDir()
	s := open(t, dir, nil)
	ctx := context.Background()
	var mu sync.Mutex
	want := make(map[frontier.Host]map[string]int)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 4))
			for range each {
				h := frontier.Host(fmt.Sprintf("h%d.test", rng.IntN(hosts)))
				it := frontier.Item{URL: fmt.Sprintf("http://%s/%d", h, rng.IntN(80))}
				added, err := s.Add(ctx, []frontier.Item{it})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if want[h] == nil {
					want[h] = make(map[string]int)
				}
				if want[h][it.URL] += 0; added[0] {
					want[h][it.URL]++
				}
				mu.Unlock()
				if rng.IntN(4) == 0 {
					if err := s.UpdateHost(ctx, h, frontier.HostUpdate{Robots: map[string]frontier.Robots{"http://" + string(h): {Data: []byte(h)}}}); err != nil {
						t.Error(err)
					}
					if r, err := s.Host(ctx, h); err != nil || string(r.Robots["http://"+string(h)].Data) != string(h) {
						t.Errorf("Host = %+v, %v", r, err)
					}
				}
				got, err := s.Lease(ctx, frontier.LeaseRequest{Max: 3})
				if err != nil {
					t.Error(err)
				}
				for _, l := range got {
					if errs, err := s.Finish(ctx, []frontier.Outcome{{Lease: l.ID, Result: frontier.Done, HostDelay: time.Nanosecond}}, nil); err != nil || errs[0] != nil {
						t.Errorf("Finish = %v, %v", errs, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if _, err := loadtest.Drain(ctx, s, 1, 0); err != nil {
		t.Fatal(err)
	}
	forget(t, s)
	for h, urls := range want {
		r, err := s.Host(ctx, h)
		for url, news := range urls {
			if news != 1 {
				t.Errorf("%s was new %d times", url, news)
			}
		}
		if n := len(urls); err != nil || r.Counts != (frontier.Counts{URLs: n, Done: n}) {
			t.Errorf("Host(%s) = %+v, %v; want %d done", h, r, err, n)
		}
	}
	closeStore(t, s)
	check(t, dir)
}
