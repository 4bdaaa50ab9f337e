//go:build unix

package frontier_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

// BenchmarkCrawl crawls with workers that lease and finish pages with links. It also measures the
// generation of pages alone.
func BenchmarkCrawl(b *testing.B) {
	b.Run("links-alone", func(b *testing.B) {
		w := new(loadtest.Web)
		w.Grow(20 * loadtest.Hosts)
		crawl(b, w, func([]frontier.Item) error { return nil })
	})
	b.Run("Memory", func(b *testing.B) { crawlMemory(b, time.Nanosecond) })
	// The hosts allow 20,000 pages/s, so that the workers wait most of the time.
	b.Run("Memory-waiting", func(b *testing.B) { crawlMemory(b, 100*time.Millisecond) })
}

func crawlMemory(b *testing.B, delay time.Duration) {
	m := frontier.NewMemory(nil)
	defer m.Close()
	w := new(loadtest.Web)
	if _, err := m.Add(b.Context(), w.Grow(20*loadtest.Hosts)); err != nil {
		b.Fatal(err)
	}
	crawl(b, w, loadtest.Page(b.Context(), m, delay))
	st, err := m.Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(st.URLs), "URLs")
}

// crawl crawls b.N pages.
func crawl(b *testing.B, w *loadtest.Web, page func([]frontier.Item) error) {
	before := loadtest.CPU()
	b.ResetTimer()
	pages, err := w.Crawl(b.N, 0, page)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((loadtest.CPU()-before).Nanoseconds())/1e3/float64(pages), "cpu-µs/page")
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemorySize measures the memory of b.N URLs in each state, and of the hosts.
func BenchmarkMemorySize(b *testing.B) {
	ctx := b.Context()
	w := new(loadtest.Web)
	m := frontier.NewMemory(nil)
	defer m.Close()
	empty := loadtest.Heap()
	length := 0
	for n := 0; n < b.N; n += 1000 {
		items := w.Grow(min(1000, b.N-n))
		for _, it := range items {
			length += len(it.URL) + len(it.Meta)
		}
		if _, err := m.Add(ctx, items); err != nil {
			b.Fatal(err)
		}
	}
	full := loadtest.Heap()
	if _, err := loadtest.Drain(ctx, m, 100, 0); err != nil {
		b.Fatal(err)
	}
	done := loadtest.Heap()
	if st, err := m.Stats(ctx); err != nil || st.Done != b.N {
		b.Fatalf("Stats = %+v, %v", st, err)
	}
	b.ReportMetric(float64(length)/float64(b.N), "B-given/URL")
	b.ReportMetric(float64(full-empty)/float64(b.N), "B-pending/URL")
	b.ReportMetric(float64(done-empty)/float64(b.N), "B-done/URL")
	runtime.KeepAlive(w)
}
