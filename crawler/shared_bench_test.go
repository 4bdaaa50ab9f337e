package crawler

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// BenchmarkTwoWorkers crawls hosts that are slow to answer with one worker and with two:
// what binds the crawl is how many requests each has in flight, so that two are to be
// done in half the time.
//
//	go test -run '^$' -bench TwoWorkers -benchtime 1x ./crawler
func BenchmarkTwoWorkers(b *testing.B) {
	took := make(map[int]time.Duration)
	for b.Loop() {
		for _, n := range []int{1, 2} {
			server := redistest.Start(b)
			hosts := newCrowd(b, 100, 5)
			for _, h := range hosts.hosts {
				h.slow = 200 * time.Millisecond
			}
			w := crowdWorkers(b, server.URL(), hosts, n, 50*time.Millisecond, 4)
			began := time.Now()
			w.start()()
			took[n] = time.Since(began)
			hosts.judge(b, 50*time.Millisecond, 0)
			hosts.judgeSegments(b, w.dirs(), 0)
		}
	}
	b.ReportMetric(took[1].Seconds(), "s-one")
	b.ReportMetric(took[2].Seconds(), "s-two")
	b.ReportMetric(took[1].Seconds()/took[2].Seconds(), "x")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkShared crawls 500 hosts without a delay by two workers, to see what a page
// costs Redis: its processor time, and the scripts that it is asked to run.
//
//	go test -run '^$' -bench 'Shared$' -benchtime 1x ./crawler
func BenchmarkShared(b *testing.B) {
	const hosts, pages = 500, 40
	for b.Loop() {
		server := redistest.Start(b)
		crowd := newCrowd(b, hosts, pages)
		w := crowdWorkers(b, server.URL(), crowd, 2, 0, 32)
		began := time.Now()
		w.start()()
		took := time.Since(began).Seconds()
		crowd.judge(b, 0, 0)
		crowd.judgeSegments(b, w.dirs(), 0)
		info := func(section, name string) float64 {
			for line := range strings.Lines(server.Do(b, "INFO", section)) {
				value, ok := strings.CutPrefix(strings.TrimSpace(line), name)
				if ok {
					value, _, _ = strings.Cut(strings.TrimPrefix(value, "calls="), ",")
					n, err := strconv.ParseFloat(value, 64)
					if err != nil {
						b.Fatal(err)
					}
					return n
				}
			}
			b.Fatalf("INFO %s has no %s", section, name)
			return 0
		}
		const n = hosts * pages
		b.ReportMetric(n/took, "pages/s")
		b.ReportMetric(info("commandstats", "cmdstat_evalsha:")/n, "scripts/page")
		b.ReportMetric((info("cpu", "used_cpu_user:")+info("cpu", "used_cpu_sys:"))*1e6/n, "redis-us/page")
	}
	b.ReportMetric(0, "ns/op")
}
