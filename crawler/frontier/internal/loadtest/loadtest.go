// Package loadtest makes up a web, and crawls it in memory: what a frontier has to
// bear of a crawler that fetches in no time. Benchmarks of stores share it, so
// that their figures can be compared.
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
	// Workers is how many workers crawl at a time.
	Workers = 16

	links = 30 // of a page
	fresh = 12 // of a hundred links
)

// A Web makes up pages. URLs have a number each, hosts take turns.
type Web struct{ urls atomic.Int64 }

func (w *Web) item(n int64) frontier.Item {
	return frontier.Item{
		URL:  fmt.Sprintf("https://www.host%d.example/section/%d/article-%d.html", n%Hosts, n%17, n),
		Meta: []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)},
	}
}

// URLs returns how many URLs there are.
func (w *Web) URLs() int { return int(w.urls.Load()) }

// Grow makes n more URLs.
func (w *Web) Grow(n int) []frontier.Item {
	items := make([]frontier.Item, n)
	for i := range items {
		items[i] = w.item(w.urls.Add(1))
	}
	return items
}

// links makes up the links of a page, some of them new.
func (w *Web) links(rng *rand.Rand, items []frontier.Item) {
	for i := range items {
		if rng.IntN(100) < fresh {
			items[i] = w.item(w.urls.Add(1))
		} else {
			items[i] = w.item(1 + rng.Int64N(w.urls.Load()))
		}
	}
}

// Crawl has workers deal with pages until there are that many, or that many
// URLs, whichever comes first; 0 stands for no limit. It returns the number of
// pages. The web must have a URL.
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

// Page returns what a worker of Crawl does with a page: it leases one, and
// finishes it with the links.
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

// Drain leases all that can be leased without waiting, some at a time, and finishes it
// as done with a delay of its host. It returns what it has leased.
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

// Heap returns the bytes that are in use.
func Heap() int {
	runtime.GC()
	runtime.GC() // what finalizers and pools have kept over the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
