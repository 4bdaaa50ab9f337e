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

// BenchmarkCrawl crawls b.N pages of 2,000 hosts that respond at once, with 16 workers and 30 links
// a page. One process keeps a server busy.
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
			crawlPages(b, server.URL(), c.cache, []*redistest.Server{server})
		})
	}
	b.Run("cluster", func(b *testing.B) {
		cluster := redistest.StartCluster(b, false)
		crawlPages(b, cluster.URL(), 0, cluster.Masters)
	})
}

func crawlPages(b *testing.B, url string, cache int, servers []*redistest.Server) {
	ctx := context.Background()
	s, err := Open(ctx, url, &Options{CrawlName: newNonce(), cacheBytes: cache})
	must(b, err)
	defer s.Close()
	var web loadtest.Web
	if _, err := s.Add(ctx, web.Grow(10*loadtest.Hosts)); err != nil {
		b.Fatal(err)
	}
	calls, cpu, own := total(b, servers, "commandstats", "cmdstat_evalsha"), cpuOf(b, servers), loadtest.CPU()
	b.ResetTimer()
	pages, err := web.Crawl(b.N, 0, loadtest.Page(ctx, s, time.Nanosecond))
	must(b, err)
	b.StopTimer()
	n := float64(pages)
	b.ReportMetric(n/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric((total(b, servers, "commandstats", "cmdstat_evalsha")-calls)/n, "scripts/page")
	b.ReportMetric((cpuOf(b, servers)-cpu)*1e6/n, "redis-µs/page")
	b.ReportMetric((loadtest.CPU()-own).Seconds()*1e6/n, "own-µs/page")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkMemory adds b.N URLs of 59 bytes, and measures Redis's memory per URL while they wait and
// when they are done.
func BenchmarkMemory(b *testing.B) {
	ctx := context.Background()
	server := redistest.Start(b)
	before := total(b, []*redistest.Server{server}, "memory", "used_memory")
	s, err := Open(ctx, server.URL(), &Options{CrawlName: newNonce(), ExpectedURLs: expected(b), MaxInFlight: 1000})
	must(b, err)
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

// expected is the number of URLs that the crawl is created for.
func expected(b *testing.B) int {
	text := os.Getenv("REDISSTORE_EXPECTED")
	if text == "" {
		return b.N
	}
	n, err := strconv.Atoi(text)
	must(b, err)
	return n
}

// total sums an INFO field, or the first part of its value, over the servers.
func total(b *testing.B, servers []*redistest.Server, section, field string) (sum float64) {
	for _, s := range servers {
		for line := range strings.SplitSeq(s.Do(b, "INFO", section), "\r\n") {
			value, ok := strings.CutPrefix(line, field+":")
			if !ok {
				continue
			}
			value, _, _ = strings.Cut(strings.TrimPrefix(value, "calls="), ",")
			n, err := strconv.ParseFloat(value, 64)
			must(b, err)
			sum += n
		}
	}
	return sum
}

func cpuOf(b *testing.B, servers []*redistest.Server) float64 {
	return total(b, servers, "cpu", "used_cpu_sys") + total(b, servers, "cpu", "used_cpu_user")
}
