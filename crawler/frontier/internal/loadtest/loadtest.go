// Package loadtest crawls a generated web in memory, as a load for benchmarks of stores. All
// benchmarks use it, so that their results are comparable.
package loadtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// Hosts is the number of hosts of a Web.
	Hosts = 2000
	// Workers is the number of concurrent workers.
	Workers = 16

	links = 30 // per page
	fresh = 12 // new links, in percent
)

// A Web generates pages. URLs are numbered, and their hosts alternate.
type Web struct{ urls atomic.Int64 }

func (w *Web) item(n int64) frontier.Item {
	return frontier.Item{
		URL:  fmt.Sprintf("https://www.host%d.example/section/%d/article-%d.html", n%Hosts, n%17, n),
		Meta: []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)},
	}
}

// URLs returns the number of URLs.
func (w *Web) URLs() int { return int(w.urls.Load()) }

// Grow generates n more URLs.
func (w *Web) Grow(n int) []frontier.Item {
	items := make([]frontier.Item, n)
	for i := range items {
		items[i] = w.item(w.urls.Add(1))
	}
	return items
}

// links generates the links of a page, some of them new.
func (w *Web) links(rng *rand.Rand, items []frontier.Item) {
	for i := range items {
		if rng.IntN(100) < fresh {
			items[i] = w.item(w.urls.Add(1))
		} else {
			items[i] = w.item(1 + rng.Int64N(w.urls.Load()))
		}
	}
}

// Crawl calls page in all workers until so many pages are done or so many URLs exist; 0 means no
// limit. It returns the number of pages. The web must have a URL.
func (w *Web) Crawl(pages, urls int, page func([]frontier.Item) error) (done int, err error) {
	var began atomic.Int64
	errs := make([]error, Workers)
	var wg sync.WaitGroup
	for n := range Workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 0))
			items := make([]frontier.Item, links)
			for (pages == 0 || began.Load() < int64(pages)) && (urls == 0 || w.URLs() < urls) {
				began.Add(1)
				w.links(rng, items)
				if errs[n] = page(items); errs[n] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return int(began.Load()), errors.Join(errs...)
}

// Page returns a page function for Crawl. It leases a page and finishes it with the links.
func Page(ctx context.Context, f frontier.Frontier, delay time.Duration) func([]frontier.Item) error {
	return func(links []frontier.Item) error {
		got, err := f.Lease(ctx, frontier.LeaseRequest{Wait: -1})
		if err != nil {
			return err
		}
		errs, err := f.Finish(ctx, []frontier.Outcome{{
			Lease: got[0].ID, Result: frontier.Done, Links: links, HostDelay: delay,
		}}, nil)
		if err != nil {
			return err
		}
		return errs[0]
	}
}

// Drain leases all URLs that are available without waiting, up to some in a call, and finishes them
// as done with a delay. It returns the URLs.
func Drain(ctx context.Context, f frontier.Frontier, some int, delay time.Duration) (urls []string, err error) {
	for {
		leases, err := f.Lease(ctx, frontier.LeaseRequest{Max: some})
		if err != nil || len(leases) == 0 {
			return urls, err
		}
		outcomes := make([]frontier.Outcome, len(leases))
		for i, l := range leases {
			urls = append(urls, l.URL)
			outcomes[i] = frontier.Outcome{Lease: l.ID, Result: frontier.Done, HostDelay: delay}
		}
		errs, err := f.Finish(ctx, outcomes, nil)
		if err := errors.Join(append(errs, err)...); err != nil {
			return urls, err
		}
	}
}

// Heap returns the size of the live heap in bytes.
func Heap() int {
	runtime.GC()
	runtime.GC() // frees objects of finalizers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
