//go:build unix

package pebblestore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

const (
	benchEnv = "PEBBLESTORE_BENCH" // set in child processes of BenchmarkCrawl: the crawl to run
	urlsEnv  = "PEBBLESTORE_URLS"  // number of URLs after which the crawl ends; empty: a few
)

// A figure is the result of a crawl.
type figure struct {
	Pages, URLs int
	Elapsed     time.Duration
	CPU         time.Duration // without the setup
}

// crawls are the crawls that BenchmarkCrawl compares.
var crawls = []struct {
	name string
	open func(dir string) (frontier.Frontier, error) // nil: no store
}{
	{"load-alone", nil},
	{"Memory", func(string) (frontier.Frontier, error) { return frontier.NewMemory(nil), nil }},
	{"process", func(dir string) (frontier.Frontier, error) { return Open(dir, nil) }},
	{"process-seen-bounded", func(dir string) (frontier.Frontier, error) {
		return Open(dir, &Options{SeenBytes: 1 << 20})
	}},
	{"power", func(dir string) (frontier.Frontier, error) { return Open(dir, &Options{Durability: Power}) }},
}

// BenchmarkCrawl runs a crawl with each store in a process of its own, and measures its memory
// and time.
func BenchmarkCrawl(b *testing.B) {
	for _, c := range crawls {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				var f figure
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), benchEnv+"="+c.name, childEnv+"="+b.TempDir())
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				if err := json.Unmarshal(out, &f); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				b.ReportMetric(float64(f.Pages)/f.Elapsed.Seconds(), "pages/s")
				b.ReportMetric(float64(f.CPU.Nanoseconds())/1e3/float64(f.Pages), "cpu-µs/page")
				b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "peak-MB")
				b.ReportMetric(float64(f.URLs), "URLs")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// benchChild runs one of the crawls.
func benchChild(name, dir string) error {
	urls := 300_000
	if n, err := strconv.Atoi(os.Getenv(urlsEnv)); err == nil {
		urls = n
	}
	var open func(string) (frontier.Frontier, error)
	for _, c := range crawls {
		if c.name == name {
			open = c.open
		}
	}
	web := new(loadtest.Web)
	seeds := web.Grow(20 * loadtest.Hosts)
	page := func([]frontier.Item) error { return nil }
	var f frontier.Frontier
	if open != nil {
		var err error
		if f, err = open(dir); err != nil {
			return err
		}
		if _, err := f.Add(context.Background(), seeds); err != nil {
			return err
		}
		page = loadtest.Page(context.Background(), f, time.Nanosecond)
	}
	start, before := time.Now(), loadtest.CPU()
	pages, err := web.Crawl(0, urls, page)
	if err != nil {
		return err
	}
	result := figure{Pages: pages, URLs: web.URLs(), Elapsed: time.Since(start), CPU: loadtest.CPU() - before}
	if f != nil {
		st, err := f.Stats(context.Background())
		if err != nil {
			return err
		}
		if st.URLs != result.URLs || st.Done != pages {
			return fmt.Errorf("%d pages and %d URLs in the store, want %d and %d", st.Done, st.URLs, pages, result.URLs)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
