package crawler

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPeers crawls one host without a delay, three times a round: with this
// crawler, with a bare loop of net/http and a tokenizer, the least that a crawler
// written for this one site gets by with, and with a minimal colly program. All
// three ask robots.txt, have four requests in flight, and write a line of JSON for
// each page.
//
//	go test -run '^$' -bench Peers -benchtime 5x -cpu 1 ./crawler
//
// The figures are medians over the rounds (-benchtime 5x) of the pages that one
// second of processor time brings in, user and system time together. The host is
// a process of its own, so its time does not count; -cpu 1 leaves it the other
// processor. It is also the judge: a page counts once, however often it was
// asked for, and none may be disallowed. Compare by the ratios, which are
// those of one round. BENCH_PAGES sets the size of the site.
func BenchmarkPeers(b *testing.B) {
	site := startBenchSite(b, benchPages(b))
	var ours, bare, peer, toBare, toPeer []float64
	for b.Loop() {
		a, _ := benchRound(b, site, benchCrawler)
		l, _ := benchRound(b, site, benchBare)
		c, seen := benchRound(b, site, benchColly)
		ours, bare, peer = append(ours, a), append(bare, l), append(peer, c)
		toBare, toPeer = append(toBare, a/l), append(toPeer, a/c)
		b.ReportMetric(float64(seen.Repeated), "colly-repeated")
	}
	b.ReportMetric(median(ours), "pages/CPU-s")
	b.ReportMetric(median(bare), "bare-pages/CPU-s")
	b.ReportMetric(median(peer), "colly-pages/CPU-s")
	b.ReportMetric(median(toBare), "×bare")
	b.ReportMetric(median(toPeer), "×colly")
	b.ReportMetric(0, "ns/op") // of a round of three crawls: nobody's figure
}

// BenchmarkSite is the crawler's part of BenchmarkPeers, for a profile.
func BenchmarkSite(b *testing.B) {
	site := startBenchSite(b, benchPages(b))
	var rates []float64
	for b.Loop() {
		rate, _ := benchRound(b, site, benchCrawler)
		rates = append(rates, rate)
	}
	b.ReportMetric(median(rates), "pages/CPU-s")
}

func benchPages(b *testing.B) int {
	s := os.Getenv("BENCH_PAGES")
	if s == "" {
		return 2000
	}
	size, err := strconv.Atoi(s)
	if err != nil {
		b.Fatal(err)
	}
	return size
}

func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// benchRound lets one crawler loose on the site and returns how many pages it
// brought in for a second of processor time.
func benchRound(b *testing.B, site *benchSite, crawl func(b *testing.B, site, out string)) (float64, benchSeen) {
	b.Helper()
	runtime.GC() // what the one before left
	cpu := cpuTime()
	crawl(b, site.url, filepath.Join(b.TempDir(), "crawl"))
	cpu = cpuTime() - cpu
	seen := site.seen(b)
	if seen.Pages != site.pages || seen.Disallowed > 0 {
		b.Fatalf("%d pages of %d were fetched, and %d disallowed ones", seen.Pages, site.pages, seen.Disallowed)
	}
	return float64(seen.Pages) / cpu.Seconds(), seen
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func benchCrawler(b *testing.B, site, out string) {
	cfg := Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir, cfg.Politeness.Delay, cfg.Limits.Workers, cfg.Politeness.PerHost = []string{site + "/p/0"}, out, 0, 4, 4
	cfg.Limits.TrapPages = max(cfg.Limits.TrapPages, benchPages(b)) // its pages all say the same
	c, err := New(cfg, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}
