//go:build unix

package pebblestore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

// TestMemory checks the memory for many URLs and hosts.
func TestMemory(t *testing.T) {
	const hosts, each = 100, 60
	s := open(t, t.TempDir(), &Options{SeenBytes: 8 << 10, readAhead: 100, memTable: 256 << 10})
	defer s.Close()
	var urls []string
	for n := range each {
		batch := make([]string, hosts)
		for h := range batch {
			batch[h] = fmt.Sprintf("http://host%d.test/%d", h, n)
		}
		addURLs(t, s, batch...)
		urls = append(urls, batch...)
	}
	entries, most := 0, 0
	for _, h := range s.hosts {
		entries += len(h.window.entries)
		most = max(most, len(h.window.entries))
	}
	if len(s.hosts) != hosts || entries > 2*minWindow*hosts || most > 2*maxWindow {
		t.Errorf("%d URLs of %d hosts are in memory, %d of one", entries, len(s.hosts), most)
	}
	if s.known.exact() || s.known.set.Bytes() > 0 || len(s.claims) > 0 {
		t.Errorf("%d bytes of hashes in the set, %d claims: more than allowed", s.known.set.Bytes(), len(s.claims))
	}
	known, err := s.Known(t.Context(), keysOf(append(urls, "http://host1.test/unknown", "http://unknown.test/1", "no URL")...))
	if err != nil {
		t.Fatal(err)
	}
	for i, ok := range known {
		if ok != (i < len(urls)) {
			t.Fatalf("Known of URL %d is %v", i, ok)
		}
	}
	// After all URLs are done, nothing stays.
	leased, err := loadtest.Drain(t.Context(), s, hosts, 0)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(leased)
	leased = slices.Compact(leased)
	if len(leased) != len(urls) {
		t.Errorf("%d URLs were leased, want %d", len(leased), len(urls))
	}
	forget(t, s)
}

// BenchmarkSize measures the memory of a pending URL, and of a host without pending URLs.
func BenchmarkSize(b *testing.B) {
	const hosts = 2000
	s, err := Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	empty := loadtest.Heap()
	for n := 0; n < b.N; n += 1000 {
		items := make([]frontier.Item, min(1000, b.N-n))
		for i := range items {
			items[i].URL = fmt.Sprintf("https://www.host%d.example/section/article-%d.html", (n+i)%hosts, n+i)
		}
		if _, err := s.Add(b.Context(), items); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(loadtest.Heap()-empty)/float64(b.N), "B/URL")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkHosts measures the memory of a host with a pending URL that is not due, and of a
// finished host.
func BenchmarkHosts(b *testing.B) {
	const hosts, delay = 100_000, 30 * time.Second
	for range b.N {
		s, err := Open(b.TempDir(), &Options{memTable: 1 << 20})
		if err != nil {
			b.Fatal(err)
		}
		empty := loadtest.Heap()
		fetch := func(delay time.Duration) { // a URL of each host
			if _, err := loadtest.Drain(b.Context(), s, 1000, delay); err != nil {
				b.Fatal(err)
			}
		}
		for n := 0; n < hosts; n += 1000 {
			var items []frontier.Item
			for i := range 1000 {
				host := fmt.Sprintf("https://www.host%d.example", n+i)
				items = append(items, frontier.Item{URL: host + "/"}, frontier.Item{URL: host + "/section/article-1.html"})
			}
			if _, err := s.Add(b.Context(), items); err != nil {
				b.Fatal(err)
			}
		}
		fetch(delay)
		b.ReportMetric(float64(loadtest.Heap()-empty)/hosts, "B/host-not-due")
		time.Sleep(delay)
		fetch(time.Nanosecond)
		forget(b, s)
		b.ReportMetric(float64(loadtest.Heap()-empty)/hosts, "B/host-idle")
		b.ReportMetric(0, "ns/op")
		closeStore(b, s)
	}
}
