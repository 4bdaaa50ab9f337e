//go:build unix

package redisstore

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// BenchmarkCrawl crawls 2,000 hosts with 16 workers that fetch in no time, 30
// links a page. b.N is the number of pages. One process keeps a server busy.
func BenchmarkCrawl(b *testing.B) {
	for _, c := range []struct {
		name    string
		options []string
		cache   int
	}{
		{"server", nil, 0},
		{"no-cache", nil, -1},
		{"everysec", []string{"--appendonly", "yes", "--appendfsync", "everysec"}, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			server := redistest.Start(b, c.options...)
			crawl(b, server.URL(), c.cache, []*redistest.Server{server})
		})
	}
	b.Run("cluster", func(b *testing.B) {
		cluster := redistest.StartCluster(b, false)
		crawl(b, cluster.URL(), 0, cluster.Masters)
	})
}

func crawl(b *testing.B, url string, cache int, servers []*redistest.Server) {
	ctx := context.Background()
	s, err := Open(ctx, url, &Options{Crawl: newNonce(), cacheBytes: cache})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var web loadtest.Web
	if _, err := s.Add(ctx, web.Grow(10*loadtest.Hosts)); err != nil {
		b.Fatal(err)
	}
	calls, cpu, own := total(b, servers, "commandstats", "cmdstat_evalsha"), cpuOf(b, servers), loadtest.CPU()
	b.ResetTimer()
	pages, err := web.Crawl(b.N, 0, loadtest.Page(ctx, s, time.Nanosecond))
	if err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	n := float64(pages)
	b.ReportMetric(n/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric((total(b, servers, "commandstats", "cmdstat_evalsha")-calls)/n, "scripts/page")
	b.ReportMetric((cpuOf(b, servers)-cpu)*1e6/n, "redis-µs/page")
	b.ReportMetric((loadtest.CPU()-own).Seconds()*1e6/n, "own-µs/page")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemory adds b.N URLs of 59 bytes, and tells what of Redis's memory each
// takes while it waits and when it is done.
func BenchmarkMemory(b *testing.B) {
	ctx := context.Background()
	server := redistest.Start(b)
	before := total(b, []*redistest.Server{server}, "memory", "used_memory")
	s, err := Open(ctx, server.URL(), &Options{Crawl: newNonce(), Expected: expected(b), MaxInFlight: 1000})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var web loadtest.Web
	for left := b.N; left > 0; left -= itemsAtOnce {
		if _, err := s.Add(ctx, web.Grow(min(left, itemsAtOnce))); err != nil {
			b.Fatal(err)
		}
	}
	waiting := total(b, []*redistest.Server{server}, "memory", "used_memory")
	if _, err := loadtest.Drain(ctx, s, 500, 0); err != nil {
		b.Fatal(err)
	}
	over := total(b, []*redistest.Server{server}, "memory", "used_memory")
	b.ReportMetric((waiting-before)/float64(b.N), "waiting-B/URL")
	b.ReportMetric((over-before)/float64(b.N), "done-B/URL")
	b.ReportMetric(0, "ns/op")
}

// expected is for how many URLs the crawl is made.
func expected(b *testing.B) int {
	text := os.Getenv("REDISSTORE_EXPECTED")
	if text == "" {
		return b.N
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// total sums up a number of INFO over servers: a field's, or its first part's.
func total(b *testing.B, servers []*redistest.Server, section, field string) (sum float64) {
	for _, s := range servers {
		for line := range strings.SplitSeq(s.Do(b, "INFO", section), "\r\n") {
			value, ok := strings.CutPrefix(line, field+":")
			if !ok {
				continue
			}
			value, _, _ = strings.Cut(strings.TrimPrefix(value, "calls="), ",")
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

func cpuOf(b *testing.B, servers []*redistest.Server) float64 {
	return total(b, servers, "cpu", "used_cpu_sys") + total(b, servers, "cpu", "used_cpu_user")
}
