package crawler

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// drip gives a piece at a time, after a pause, for ever.
type drip struct {
	pause  time.Duration
	piece  int
	broken chan struct{} // closed when the request has ended
}

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(d.pause):
		return copy(p, strings.Repeat("x", d.piece)), nil
	case <-d.broken:
		return 0, errors.New("the request has ended")
	}
}

func (d *drip) Close() error { return nil }

func TestStall(t *testing.T) {
	const within = 10 * time.Second
	for _, test := range []struct {
		name  string
		pause time.Duration
		piece int
		busy  time.Duration // of the reader, after each piece
		ends  time.Duration // by when it is broken off; 0: it is not
	}{
		{"a byte a second", time.Second, 1, 0, 10 * time.Second},
		{"nothing", time.Hour, 1, 0, 10 * time.Second},
		{"slow, but on its way", time.Second, 200, 0, 0},
		{"at the edge", 4900 * time.Millisecond, 512, 0, 0},
		{"a slow reader", time.Second, 200, time.Minute, 0},
		{"a slow reader of next to nothing", time.Second, 1, time.Minute, 10 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &drip{pause: test.pause, piece: test.piece, broken: make(chan struct{})}
				b := newStallBody(d, within, func() { close(d.broken) })
				defer func() { _ = b.Close() }()
				began := time.Now()
				var err error
				for err == nil && time.Since(began) < time.Hour {
					_, err = b.Read(make([]byte, 512))
					time.Sleep(test.busy)
				}
				switch took := time.Since(began); {
				case test.ends == 0 && err != nil:
					t.Errorf("broken off after %v: %v", took, err)
				case test.ends > 0 && (!errors.Is(err, errStalled) || took < test.ends || took > test.ends+2*time.Minute):
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// The watch over a body does not outlive a Read, however late it looks.
func TestStallTimerEnds(t *testing.T) {
	b := newStallBody(io.NopCloser(strings.NewReader("some text")), time.Hour, func() { t.Error("broken off") })
	idle := func(when string) {
		t.Helper()
		if b.timer.Stop() {
			t.Errorf("%s the timer runs", when)
		}
	}
	idle("before the first Read")
	if n, err := b.Read(make([]byte, 4)); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	idle("after a Read")
	b.look() // it had fired, and waited for the lock
	idle("after a look that came after the Read")
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	b.look()
	idle("after a look that came after Close")
}

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
	cfg.Timeout, cfg.StallTimeout, cfg.FirstByteTimeout = 10*time.Second, 200*time.Millisecond, 300*time.Millisecond
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
	cfg.MaxBody, cfg.Timeout = 1<<20, 3*time.Second
	got := run(t, cfg, nil)
	// What the sockets hold is sent and not read.
	if got.Pages != 1 || got.pages[0].Bytes != 1<<20 || got.pages[0].Truncated != truncatedByMaxBody || sent.Load() > 32<<20 {
		t.Errorf("%+v; %d bytes were sent", got.pages, sent.Load())
	}
	cfg = testConfig(t, s.url+"/steady")
	cfg.MaxBody, cfg.Timeout = 1<<30, 300*time.Millisecond
	began := time.Now()
	got = run(t, cfg, nil)
	if r := got.refusal(t, s.url+"/steady"); r.Reason != output.Failed || time.Since(began) > 5*time.Second {
		t.Errorf("%+v after %v", r, time.Since(began))
	}
}

// The head of an answer has a limit of its own.
func TestMaxHeader(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/more">1</a><a href="/less">2</a>`})
	for path, size := range map[string]int{"/less": maxHeader - 4<<10, "/more": maxHeader + 4<<10} {
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
