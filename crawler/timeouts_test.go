package crawler

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A stalled response is reported, and the crawl continues.
func TestStallTimeouts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/drip">1</a><a href="/mute">2</a><a href="/fine">3</a>`, "/fine": "fine"})
		s.handle("/drip", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for r.Context().Err() == nil { // the crawl breaks it off
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		})
		s.handle("/mute", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.Timeout, cfg.Fetch.StallTimeout, cfg.Fetch.FirstByteTimeout = 10*time.Second, 200*time.Millisecond, 300*time.Millisecond
		began := time.Now()
		got := runCrawl(t, cfg, nil)
		if took := time.Since(began); took > 5*time.Second || got.Pages != 2 {
			t.Errorf("%d pages in %v", got.Pages, took)
		}
		if r := got.refusal(t, s.url+"/drip"); r.Reason != output.Failed || !strings.Contains(r.Detail, "the response stalled") {
			t.Errorf("%+v", r)
		}
		if r := got.refusal(t, s.url+"/mute"); r.Reason != output.Failed || !strings.Contains(r.Detail, "first-byte-timeout") {
			t.Errorf("%+v", r)
		}
	})
}

// An endless page is read up to max-body or its timeout.
func TestEndlessPage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var sent atomic.Int64
		s := newSite(t, "127.0.0.1", nil)
		for path, pause := range map[string]time.Duration{"/fast": 0, "/steady": 5 * time.Millisecond} {
			s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				piece := []byte(strings.Repeat("x", 32<<10))
				for {
					n, err := w.Write(piece)
					sent.Add(int64(n))
					if err != nil {
						return // the crawl breaks it off
					}
					time.Sleep(pause)
				}
			})
		}
		cfg := testConfig(t, s.url+"/fast")
		cfg.Fetch.MaxBody, cfg.Fetch.Timeout = 1<<20, 3*time.Second
		got := runCrawl(t, cfg, nil)
		// What the sockets hold is sent and not read.
		if got.Pages != 1 || got.pages[0].Bytes != 1<<20 || got.pages[0].Truncated != "max-body" || sent.Load() > 32<<20 {
			t.Errorf("%+v; %d bytes were sent", got.pages, sent.Load())
		}
		cfg = testConfig(t, s.url+"/steady")
		cfg.Fetch.MaxBody, cfg.Fetch.Timeout = 1<<30, 300*time.Millisecond
		began := time.Now()
		got = runCrawl(t, cfg, nil)
		if r := got.refusal(t, s.url+"/steady"); r.Reason != output.Failed || time.Since(began) > 5*time.Second {
			t.Errorf("%+v after %v", r, time.Since(began))
		}
	})
}

// The headers of a response have their own limit.
func TestMaxHeader(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/more">1</a><a href="/less">2</a>`})
	const most = 256 << 10
	for path, size := range map[string]int{"/less": most - 4<<10, "/more": most + 4<<10} {
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			for i := range size >> 10 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
			}
		})
	}
	got := runCrawl(t, testConfig(t, s.url+"/"), nil)
	if r := got.refusal(t, s.url+"/more"); r.Reason != output.Failed || !strings.Contains(r.Detail, "larger than 256 KiB") || got.Pages != 2 {
		t.Errorf("%+v, %d pages", r, got.Pages)
	}
}

// endlessly writes a line per second until the crawl aborts, and reports the duration.
func endlessly(line string) (handler http.HandlerFunc, took chan time.Duration) {
	took = make(chan time.Duration, 1)
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, strings.ReplaceAll(line, "{site}", "http://"+r.Host))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
			}
		}
		took <- time.Since(began)
	}, took
}

// An endless sitemap or robots.txt is read up to its timeout.
func TestEndlessSitemapAndRobots(t *testing.T) {
	const robotsTimeout = 40 * time.Second
	for _, tt := range []struct {
		file, line string
		listed     string // as what the file has come to
		reason     output.Reason
		want       time.Duration
	}{
		{"/map.txt", "{site}/" + strings.Repeat("x", 500) + "\n", "/map.txt", output.Failed, visit.SitemapTime},
		{"/robots.txt", "#" + strings.Repeat("x", 500) + "\n", "/", output.RobotsUnreachable, robotsTimeout},
	} {
		t.Run(tt.file, bubbled(func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": ""})
			handler, took := endlessly(tt.line)
			s.handle(tt.file, handler)
			if tt.file != "/robots.txt" {
				s.page("/robots.txt", "Sitemap: {site}/map.txt\nUser-agent: *\nDisallow: /x\n")
			}
			cfg := testConfig(t, s.url+"/")
			cfg.Robots.Timeout = robotsTimeout
			got := runCrawl(t, cfg, nil)
			if r, after := got.refusal(t, s.url+tt.listed), <-took; r.Reason != tt.reason || after != tt.want {
				t.Errorf("%+v after %v, want %v", r, after, tt.want)
			}
		}))
	}
}

// Two robots.txt files that redirect to each other at the same time do not deadlock.
func TestRobotsRedirectingToEachOther(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		sites := []*site{newSite(t, "127.0.0.1", map[string]string{"/": ""}), newSite(t, "127.0.0.2", map[string]string{"/": ""})}
		var both sync.WaitGroup
		both.Add(2)
		for i, s := range sites {
			other := sites[1-i].url + "/r.txt"
			first := sync.OnceFunc(func() {
				both.Done()
				both.Wait()
				time.Sleep(time.Duration(i) * time.Second)
			})
			redirect := func(w http.ResponseWriter, r *http.Request) {
				first()
				http.Redirect(w, r, other, http.StatusFound)
			}
			s.handle("/robots.txt", redirect)
		}
		cfg := testConfig(t, sites[0].url+"/", sites[1].url+"/")
		cfg.Limits.MaxWait = time.Hour
		began := time.Now()
		if got, took := runCrawl(t, cfg, nil), time.Since(began); got.Pages != 2 || took > 2*time.Minute {
			t.Errorf("%d pages after %v", got.Pages, took)
		}
	})
}

// A truncated page is marked; a page of exactly max-body is not.
func TestTruncated(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{"/long": strings.Repeat("x", 1001), "/just": strings.Repeat("x", 1000)})
		for _, coding := range codings {
			s.handle("/zeros/"+coding, page(200, string(encode(t, coding, make([]byte, 4<<20))), "Content-Type", "text/plain", "Content-Encoding", coding))
		}
		for _, test := range []struct {
			path  string
			most  int
			bytes int // at the most
			cut   string
		}{{"/long", 1000, 1000, "max-body"}, {"/just", 1000, 1000, ""}, {"/zeros/gzip", 20 << 20, 3 << 20, "ratio"}, {"/zeros/br", 20 << 20, 3 << 20, "ratio"}, {"/zeros/zstd", 20 << 20, 3 << 20, "ratio"}} {
			cfg := testConfig(t, s.url+test.path)
			cfg.Fetch.MaxBody = test.most
			if got := runCrawl(t, cfg, nil); len(got.pages) != 1 || got.pages[0].Truncated != test.cut || got.pages[0].Bytes > test.bytes {
				t.Errorf("%s: %+v", test.path, got.pages)
			}
		}
	})
}
