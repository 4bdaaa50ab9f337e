//go:build unix

package logstore

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

const (
	benchEnv = "LOGSTORE_BENCH" // set in child processes of BenchmarkCrawl: the store
	urlsEnv  = "LOGSTORE_URLS"  // number of known URLs, in millions, of which a fifth waits; empty: a tenth of a million
)

// benchPages is the number of pages that are measured.
const benchPages = 200_000

// A figure is the result of a process.
type figure struct {
	Pages, URLs int
	Elapsed     time.Duration
	CPU         time.Duration // of the pages
	Disk        int64         // bytes
	Compact     time.Duration // CPU time of the first opening, which compacts the log
	Open        time.Duration // of the next one
	Read        time.Duration // of one without index
}

// stores are the stores that BenchmarkCrawl compares.
var stores = []struct {
	name string
	open func(dir string) (frontier.Frontier, error) // nil: no store
}{
	{"load-alone", nil},
	{"Memory", func(string) (frontier.Frontier, error) { return frontier.NewMemory(nil), nil }},
	{"process", func(dir string) (frontier.Frontier, error) { return Open(dir, nil) }},
	{"power", func(dir string) (frontier.Frontier, error) { return Open(dir, &Options{Durability: Power}) }},
}

// BenchmarkCrawl fills each store with URLs in a process of its own, crawls pages of 30 links, and
// opens it again.
func BenchmarkCrawl(b *testing.B) {
	for _, c := range stores {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				var f figure
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), benchEnv+"="+c.name, childEnv+"="+b.TempDir())
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				must(b, err)
				if err := json.Unmarshal(out, &f); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				b.ReportMetric(float64(f.Pages)/f.Elapsed.Seconds(), "pages/s")
				b.ReportMetric(float64(f.CPU.Nanoseconds())/1e3/float64(f.Pages), "cpu-µs/page")
				b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "peak-MB")
				b.ReportMetric(float64(f.Disk)/1e6, "disk-MB")
				b.ReportMetric(f.Compact.Seconds(), "compact-cpu-s")
				b.ReportMetric(f.Open.Seconds(), "open-cpu-s")
				b.ReportMetric(f.Read.Seconds(), "read-cpu-s")
				b.ReportMetric(float64(f.URLs), "URLs")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// benchChild measures one of the stores.
func benchChild(name, dir string) error {
	urls := 100_000
	if n, err := strconv.Atoi(os.Getenv(urlsEnv)); err == nil {
		urls = n * 1_000_000
	}
	var open func(string) (frontier.Frontier, error)
	for _, c := range stores {
		if c.name == name {
			open = c.open
		}
	}
	web := new(loadtest.Web)
	page := func([]frontier.Item) error { return nil }
	var f frontier.Frontier
	if open == nil {
		web.Grow(urls)
	} else {
		var err error
		if f, err = open(dir); err != nil {
			return err
		}
		if err := fill(f, web, urls); err != nil {
			return err
		}
		page = loadtest.Page(context.Background(), f, time.Nanosecond)
	}
	start, before := time.Now(), loadtest.CPU()
	pages, err := web.Crawl(benchPages, 0, page)
	if err != nil {
		return err
	}
	result := figure{Pages: pages, URLs: web.URLs(), Elapsed: time.Since(start), CPU: loadtest.CPU() - before}
	if f == nil {
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	st, err := f.Stats(context.Background())
	if err != nil {
		return err
	}
	if st.URLs != result.URLs || st.InFlight != 0 {
		return fmt.Errorf("%d URLs in the store, %d in flight, want %d", st.URLs, st.InFlight, result.URLs)
	}
	if err := f.Close(); err != nil {
		return err
	}
	if name == "Memory" {
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	if err := measureOpening(&result, st, dir, open); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// fill adds URLs to a store, and finishes four of five.
func fill(f frontier.Frontier, web *loadtest.Web, urls int) error {
	ctx := context.Background()
	const some = loadtest.Hosts
	var outcomes []frontier.Outcome
	for n := 0; n < urls; n += 5 * some {
		if _, err := f.Add(ctx, web.Grow(min(5*some, urls-n))); err != nil {
			return err
		}
		for range 4 {
			leases, err := f.Lease(ctx, frontier.LeaseRequest{Max: some})
			if err != nil {
				return err
			}
			outcomes = outcomes[:0]
			for _, l := range leases {
				outcomes = append(outcomes, frontier.Outcome{Lease: l.ID, Result: frontier.Done, HostDelay: time.Nanosecond})
			}
			if _, err := f.Finish(ctx, outcomes, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureOpening opens a store three times, the last time without its index.
func measureOpening(to *figure, want frontier.Stats, dir string, open func(string) (frontier.Frontier, error)) error {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, e := d.Info()
			if err = e; e == nil {
				to.Disk += info.Size()
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, took := range []*time.Duration{&to.Compact, &to.Open, &to.Read} {
		before := loadtest.CPU()
		f, err := open(dir)
		if err != nil {
			return err
		}
		*took = loadtest.CPU() - before
		st, err := f.Stats(context.Background())
		if err != nil || st.Counts != want.Counts {
			return fmt.Errorf("%+v, %w after opening, want %+v", st, err, want)
		}
		if err := f.Close(); err != nil {
			return err
		}
		if took == &to.Open {
			if err := os.Remove(filepath.Join(dir, indexName)); err != nil {
				return err
			}
		}
	}
	return nil
}
