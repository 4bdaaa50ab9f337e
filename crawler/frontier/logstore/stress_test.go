package logstore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

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
