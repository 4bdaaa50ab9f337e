package crawler

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Of an answer that comes to a halt the crawl says so, and goes on.
func TestStallTimeouts(t *testing.T) {
	t.Parallel()
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
	got := run(t, cfg, nil)
	if took := time.Since(began); took > 5*time.Second || got.Pages != 2 {
		t.Errorf("%d pages in %v", got.Pages, took)
	}
	if r := got.refusal(t, s.url+"/drip"); r.Reason != output.Failed || !strings.Contains(r.Detail, "the answer has come to a halt") {
		t.Errorf("%+v", r)
	}
	if r := got.refusal(t, s.url+"/mute"); r.Reason != output.Failed || !strings.Contains(r.Detail, "first-byte-timeout") {
		t.Errorf("%+v", r)
	}
}

// Of an answer that goes on and on, at a pace that is none to complain of, as much is
// read as may be, for as long as it may take.
func TestEndlessPage(t *testing.T) {
	t.Parallel()
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
	got := run(t, cfg, nil)
	// What the sockets hold is sent and not read.
	if got.Pages != 1 || got.pages[0].Bytes != 1<<20 || got.pages[0].Truncated != "max-body" || sent.Load() > 32<<20 {
		t.Errorf("%+v; %d bytes were sent", got.pages, sent.Load())
	}
	cfg = testConfig(t, s.url+"/steady")
	cfg.Fetch.MaxBody, cfg.Fetch.Timeout = 1<<30, 300*time.Millisecond
	began := time.Now()
	got = run(t, cfg, nil)
	if r := got.refusal(t, s.url+"/steady"); r.Reason != output.Failed || time.Since(began) > 5*time.Second {
		t.Errorf("%+v after %v", r, time.Since(began))
	}
}

// The head of an answer has a limit of its own.
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
	got := run(t, testConfig(t, s.url+"/"), nil)
	if r := got.refusal(t, s.url+"/more"); r.Reason != output.Failed || !strings.Contains(r.Detail, "larger than 256 KiB") || got.Pages != 2 {
		t.Errorf("%+v, %d pages", r, got.Pages)
	}
}
