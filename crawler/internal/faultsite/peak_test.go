//go:build linux && !race

package faultsite_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
)

// A giant is a response that must not be held in memory.
type giant struct {
	name string
	// path is its path; the other paths of the host are healthy and small.
	path string
	// write sends it, until the client has had enough.
	write func(w http.ResponseWriter)
	// change changes the usual configuration.
	change func(cfg *crawler.Config)
	// bound is the maximum memory of the whole process, in MiB: its code, the crawl of one small
	// page (see [TestPeak]), and the giant.
	bound int64
	// together is the same for one on each of as many hosts as there are workers, or 0 if that is
	// not tried.
	together int64
}

// TestPeak measures the peak of the memory of a process (VmHWM) for each giant, with the garbage
// collector set as the program sets it. The race detector takes memory of its own.
func TestPeak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	for _, g := range giants() {
		t.Run(g.name, func(t *testing.T) {
			server := httptest.NewServer(g.handler())
			defer server.Close()
			cfg := quick(t, server.URL+"/")
			if g.change != nil {
				g.change(&cfg)
			}
			peak(t, cfg, g.bound)
		})
	}
	for _, g := range giants() {
		if g.together == 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s, %d at once", g.name, crawler.Default().Limits.Concurrency), func(t *testing.T) {
			peak(t, g.crowd(t), g.together)
		})
		t.Run(fmt.Sprintf("%s, %d at once, with GOMEMLIMIT=200MiB", g.name, crawler.Default().Limits.Concurrency), func(t *testing.T) {
			t.Setenv("GOMEMLIMIT", "200MiB")
			peak(t, g.crowd(t), 512)
		})
	}
	file := giant{path: "/file", write: noise(60 << 20)}
	t.Run(fmt.Sprintf("files of 60 MiB in an archive, %d at once", crawler.Default().Limits.Concurrency), func(t *testing.T) {
		cfg := file.crowd(t)
		cfg.Output.Archive = true
		peak(t, cfg, 96)
		var stored int64
		names, err := filepath.Glob(filepath.Join(cfg.Output.Dir, "*.warc.gz"))
		must(t, err)
		for _, name := range names {
			info, err := os.Stat(name)
			must(t, err)
			stored += info.Size()
		}
		if want := int64(len(cfg.URLs)) * 60 << 20; stored < want {
			t.Errorf("the archive has %d bytes, want %d", stored, want)
		}
	})
	t.Run("every fault there is", func(t *testing.T) {
		site, err := faultsite.Start(&faultsite.Options{Authority: authority})
		must(t, err)
		defer func() { _ = site.Close() }()
		cfg := quick(t, site.StartURLs()...)
		cfg.Fetch.Timeout, cfg.Robots.Timeout, cfg.Fetch.FirstByteTimeout, cfg.Fetch.StallTimeout = 10*time.Second, 10*time.Second, 3*time.Second, 2*time.Second
		cfg.Limits.Concurrency = 64
		peak(t, cfg, 640)
	})
}

// peak checks that a process that crawls without a delay takes at most so many MiB.
func peak(t *testing.T, cfg crawler.Config, bound int64) {
	t.Helper()
	cfg.Politeness.Delay = 0
	cfg.Limits.Concurrency, cfg.Fetch.MaxBody = max(cfg.Limits.Concurrency, crawler.Default().Limits.Concurrency), max(cfg.Fetch.MaxBody, crawler.Default().Fetch.MaxBody)
	t.Setenv("GOGC", "400")
	if os.Getenv("GOMEMLIMIT") == "" { // with it, a collector that stops the world would run all the time
		// Else the peak depends on how long the collector takes beside other processes.
		t.Setenv("GODEBUG", "gcstoptheworld=1")
	}
	began := time.Now()
	l := live(t, cfg, nil)
	must(t, l.ended())
	v := l.vitals()
	t.Logf("peak RSS %d MiB (bound %d), live heap at the end %d MiB, %d pages, %d URLs wait, %v",
		v.Peak>>20, bound, v.Heap>>20, v.Pages, v.Left, time.Since(began).Round(10*time.Millisecond))
	if v.Peak == 0 || v.Pages == 0 || v.Peak > bound<<20 {
		t.Fatalf("%+v", v)
	}
}

func giants() []giant {
	return []giant{
		{name: "a small page", bound: 48},
		{name: "a page of 1 GiB", path: "/", write: big(1<<30, "<p>more text\n"), bound: 80, together: 480},
		{name: "a page of 1 GiB in one line", path: "/", write: big(1<<30, strings.Repeat("x", 4<<10)), bound: 80},
		{name: "a page of 1 GiB of attributes", path: "/", write: big(1<<30, "<a "+strings.Repeat("b=\"c\" ", 10<<10)), bound: 144, together: 1280},
		{name: "a page of 1 GiB of comments", path: "/", write: big(1<<30, "<!--"), bound: 144, together: 1280},
		{name: "a gzip of 10 GiB", path: "/", write: zeros("gzip", 10<<30), bound: 64},
		{name: "10 GiB in brotli", path: "/", write: zeros("br", 10<<30), bound: 96},
		{name: "10 GiB in zstd", path: "/", write: zeros("zstd", 10<<30), bound: 96},
		{name: "a robots.txt of 1 GiB", path: "/robots.txt", write: big(1<<30, "Disallow: /x\n"), bound: 64},
		{name: "a robots.txt of 10 GiB of gzip", path: "/robots.txt", write: zeros("gzip", 10<<30), bound: 64},
		{name: "a page with a million links", path: "/", write: links(1_000_000, "<a href=/%d>x</a>\n"), bound: 128,
			change: func(c *crawler.Config) { c.Fetch.MaxBody, c.Limits.MaxPages = 64<<20, 1 }},
		{name: "a page with a million links to one URL", path: "/", write: links(1_000_000, "<a href=/x#%d>x</a>\n"), bound: 128,
			change: func(c *crawler.Config) { c.Fetch.MaxBody, c.Limits.MaxPages = 64<<20, 1 }},
		{name: "a page with a million spellings of one URL", path: "/", write: links(1_000_000, "<a href=/x?n=%d>x</a>\n"), bound: 128,
			change: func(c *crawler.Config) {
				c.Fetch.MaxBody, c.Limits.MaxPages, c.Scope.DropParams = 64<<20, 1, []string{"n"}
			}},
		{name: "a page with a million links, without max-links", path: "/", write: links(1_000_000, "<a href=/%d>x</a>\n"), bound: 640,
			change: func(c *crawler.Config) { c.Fetch.MaxBody, c.Limits.MaxLinks, c.Limits.MaxPages = 64<<20, 0, 1 }},
		{name: "a page with 100,000 hosts", path: "/", write: hosts(100_000), bound: 256,
			change: func(c *crawler.Config) { c.Scope.Kind, c.Limits.MaxTime = "any", 5*time.Second }},
		{name: "a page with 100,000 hosts, without max-links", path: "/", write: hosts(100_000), bound: 768,
			change: func(c *crawler.Config) {
				c.Scope.Kind, c.Limits.MaxTime, c.Limits.MaxLinks = "any", 5*time.Second, 0
			}},
	}
}

// handler serves a page, and the giant.
func (g giant) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == g.path && r.URL.Path != "/robots.txt":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			g.write(w)
		case r.URL.Path == g.path:
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "User-agent: *\n")
			g.write(w)
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<title>small</title><img src=/file>")
		default:
			http.NotFound(w, r)
		}
	})
}

// crowd is a crawl of as many hosts as there are workers. Each host has the giant.
func (g giant) crowd(t *testing.T) crawler.Config {
	t.Helper()
	cfg := quick(t)
	for i := range crawler.Default().Limits.Concurrency {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.3.%d:0", i+1))
		must(t, err)
		server := &http.Server{Handler: g.handler(), ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }() // until it is closed
		t.Cleanup(func() { _ = server.Close() })
		cfg.URLs = append(cfg.URLs, "http://"+listener.Addr().String()+"/")
	}
	return cfg
}

// big writes a number of bytes.
func big(size int, text string) func(http.ResponseWriter) {
	block := []byte(strings.Repeat(text, 64<<10/len(text)))
	return func(w http.ResponseWriter) {
		for n := 0; n < size; n += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// noise writes a number of bytes that cannot be compressed, and differ from one call to the next.
func noise(size int64) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.CopyN(w, rand.NewChaCha8([32]byte{byte(calls.Add(1))}), size)
	}
}

// calls is the number of calls of noise.
var calls atomic.Int32

// zeros writes what unpacks to a number of equal bytes, with windows of the largest size.
func zeros(coding string, size int) func(http.ResponseWriter) {
	var b bytes.Buffer
	var z interface {
		io.Writer
		Flush() error
	}
	switch coding {
	case "br":
		z = brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 5, LGWin: 24})
	case "zstd":
		z, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	default:
		z = gzip.NewWriter(&b)
	}
	block := bytes.Repeat([]byte("\n"), 1<<20)
	for range 2 { // the second repeats what stood before, and can be repeated itself
		_, _ = z.Write(block)
		_ = z.Flush()
	}
	first := b.Len()
	_, _ = z.Write(block)
	_ = z.Flush()
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Encoding", coding)
		_, err := w.Write(b.Bytes()[:first])
		for n := 2 << 20; n < size && err == nil; n += 1 << 20 {
			_, err = w.Write(b.Bytes()[first:])
		}
	}
}

func links(n int, format string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := range n {
			if _, err := fmt.Fprintf(w, format, i); err != nil {
				return
			}
		}
	}
}

// hosts writes links to so many hosts. Nothing listens there.
func hosts(n int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := range n {
			if _, err := fmt.Fprintf(w, "<a href=http://127.%d.%d.%d:9/>x</a>\n", 1+i>>16, i>>8&255, i&255); err != nil {
				return
			}
		}
	}
}
