//go:build unix

package frontier_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	benchHosts   = 2000
	benchWorkers = 16
	benchLinks   = 30
	benchNew     = 12 // of a hundred links
)

// A web makes up pages. URLs have a number each, hosts take turns.
type web struct{ urls atomic.Int64 }

func (w *web) item(n int64) frontier.Item {
	return frontier.Item{
		URL:  fmt.Sprintf("https://www.host%d.example/section/%d/article-%d.html", n%benchHosts, n%17, n),
		Meta: []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)},
	}
}

// grow makes n more URLs.
func (w *web) grow(n int) []frontier.Item {
	items := make([]frontier.Item, n)
	for i := range items {
		items[i] = w.item(w.urls.Add(1))
	}
	return items
}

// links makes up the links of a page, some of them new.
func (w *web) links(rng *rand.Rand, items []frontier.Item) {
	for i := range items {
		if rng.IntN(100) < benchNew {
			items[i] = w.item(w.urls.Add(1))
		} else {
			items[i] = w.item(rng.Int64N(w.urls.Load()))
		}
	}
}

// BenchmarkCrawl runs workers that lease, and finish with the links they found.
// What the making up of pages costs is measured by itself.
func BenchmarkCrawl(b *testing.B) {
	b.Run("links-alone", func(b *testing.B) {
		crawl(b, func(_ context.Context, links []frontier.Item) error {
			runtime.KeepAlive(links)
			return nil
		}, new(web))
	})
	b.Run("Memory", func(b *testing.B) { crawlMemory(b, time.Nanosecond) })
	// The hosts allow 20,000 pages/s, so that the workers wait most of the time.
	b.Run("Memory-waiting", func(b *testing.B) { crawlMemory(b, 100*time.Millisecond) })
}

func crawlMemory(b *testing.B, delay time.Duration) {
	m := frontier.NewMemory(nil)
	defer m.Close()
	w := new(web)
	if _, err := m.Add(b.Context(), w.grow(20*benchHosts)); err != nil {
		b.Fatal(err)
	}
	crawl(b, func(ctx context.Context, links []frontier.Item) error {
		got, err := m.Lease(ctx, frontier.LeaseRequest{Wait: -1})
		if err != nil {
			return err
		}
		errs, err := m.Finish(ctx, []frontier.Outcome{{
			Lease: got[0].ID, Result: frontier.Done, Links: links, HostDelay: delay,
		}}, nil)
		if err != nil {
			return err
		}
		return errs[0]
	}, w)
	st, err := m.Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(st.Added), "URLs")
}

// crawl has b.N pages dealt with by the workers.
func crawl(b *testing.B, page func(context.Context, []frontier.Item) error, w *web) {
	w.urls.Add(1)
	var pages atomic.Int64
	var wg sync.WaitGroup
	before := cpuTime()
	b.ResetTimer()
	for n := range benchWorkers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 0))
			links := make([]frontier.Item, benchLinks)
			for pages.Add(1) <= int64(b.N) {
				w.links(rng, links)
				if err := page(b.Context(), links); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/page")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(0, "ns/op")
}

// cpuTime returns the time that the process has computed for.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMemorySize says what b.N URLs, and the hosts, cost in each state.
func BenchmarkMemorySize(b *testing.B) {
	ctx := b.Context()
	w := new(web)
	m := frontier.NewMemory(nil)
	defer m.Close()
	empty := heapBytes()
	length := 0
	for n := 0; n < b.N; n += 1000 {
		items := w.grow(min(1000, b.N-n))
		for _, it := range items {
			length += len(it.URL) + len(it.Meta)
		}
		if _, err := m.Add(ctx, items); err != nil {
			b.Fatal(err)
		}
	}
	full := heapBytes()
	for {
		got, err := m.Lease(ctx, frontier.LeaseRequest{Max: 100})
		if err != nil {
			b.Fatal(err)
		}
		if len(got) == 0 {
			break
		}
		outcomes := make([]frontier.Outcome, len(got))
		for i, l := range got {
			outcomes[i] = frontier.Outcome{Lease: l.ID, Result: frontier.Done}
		}
		if _, err := m.Finish(ctx, outcomes, nil); err != nil {
			b.Fatal(err)
		}
	}
	done := heapBytes()
	if st, err := m.Stats(ctx); err != nil || st.Done != b.N {
		b.Fatalf("Stats = %+v, %v", st, err)
	}
	b.ReportMetric(float64(length)/float64(b.N), "B-given/URL")
	b.ReportMetric(float64(full-empty)/float64(b.N), "B-pending/URL")
	b.ReportMetric(float64(done-empty)/float64(b.N), "B-done/URL")
	runtime.KeepAlive(w)
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
