package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// spent is a transport that has no descriptor left for a path.
type spent struct {
	http.RoundTripper
	path string
}

func (s *spent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == s.path {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}
	return s.RoundTripper.RoundTrip(req)
}

// A crawl that has no descriptor left fails, and says for what. That is no fault of the
// site: no URL is given up, no robots.txt is taken for one that cannot be reached, and the
// crawl goes on at once when there are some again.
func TestNoDescriptorsLeft(t *testing.T) {
	for _, path := range []string{"/robots.txt", "/", "/a"} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "", "/": `<a href="/a">a</a>`, "/a": "a"})
			cfg := testConfig(t, s.url+"/")
			cfg.RobotsRetry = time.Hour
			c, err := New(cfg, &Options{Transport: &spent{&http.Transport{DisableKeepAlives: true}, path}})
			if err != nil {
				t.Fatal(err)
			}
			sum, err := c.Run(t.Context())
			if !errors.Is(err, syscall.EMFILE) || sum.End != EndFailed || sum.Robots > 1 || path == "/robots.txt" && sum.Robots > 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if lines := readOutput[output.Rejection](t, cfg, output.RejectedFile); len(lines) > 0 {
				t.Errorf("given up: %+v", lines)
			}
			got := resume(t, cfg, nil)
			if got.End != EndFinished || got.Pages != 2 || len(got.rejected) > 0 {
				t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
			}
		})
	}
}

// A robots.txt that comes when the crawl is over is not taken in: its files are closed.
func TestRobotsAfterTheEnd(t *testing.T) {
	c := &Crawler{closed: true}
	c.takeIn(&robotsext.Record{Origin: "http://a.test", Outcome: robotsext.AllowAll})
}

// finishing is a frontier whose Finish may fail, and which knows how much it was told.
type finishing struct {
	frontier.Frontier
	fails bool
	calls atomic.Int32
	most  atomic.Int32 // outcomes at a time
	hold  chan struct{}
}

func (f *finishing) Finish(_ context.Context, outcomes []frontier.Outcome, _ []byte) ([]error, error) {
	<-f.hold
	f.calls.Add(1)
	f.most.Store(max(f.most.Load(), int32(len(outcomes))))
	if f.fails {
		return nil, syscall.ENOSPC
	}
	return make([]error, len(outcomes)), nil
}

// What is ready at a time is written down together, up to a bound; and after the first
// failure nothing is, so that nothing stands behind what is torn.
func TestLedger(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("fails ", fails), func(t *testing.T) {
			dir, err := output.Create(t.TempDir(), "state")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = dir.Close() }()
			f := &finishing{fails: fails, hold: make(chan struct{})}
			l := newLedger(t.Context(), f, &outputs{dir: dir}, counted{}, func(*output.Page) {})
			var books, posts sync.WaitGroup
			books.Go(l.run)
			const n = 3 * maxPostings
			var failed atomic.Int32
			var posted sync.WaitGroup
			posted.Add(n)
			for i := range n {
				posts.Go(func() {
					p := &posting{page: &output.Page{URL: fmt.Sprint(i)}}
					posted.Done()
					if err := l.post(p); err != nil {
						failed.Add(1)
					}
				})
			}
			posted.Wait()
			close(f.hold)
			posts.Wait()
			close(l.work)
			books.Wait()
			if m := f.most.Load(); m > maxPostings {
				t.Errorf("%d at a time", m)
			}
			lines := 0
			for _, err := range output.Pages(dir.Path()) {
				if err != nil {
					t.Fatal(err)
				}
				lines++
			}
			if fails && (f.calls.Load() != 1 || failed.Load() != n || lines > maxPostings) {
				t.Errorf("the frontier was told %d times, %d of %d have failed, %d lines", f.calls.Load(), failed.Load(), n, lines)
			}
			if !fails && (failed.Load() > 0 || lines != n) {
				t.Errorf("%d have failed, %d lines", failed.Load(), lines)
			}
		})
	}
}

// With durability power the lines and the journal reach the disk before the frontier is
// told; else nobody waits for that.
func TestCommitForPower(t *testing.T) {
	for name, closes := range map[string]func(o *outputs) error{
		"lines":   func(o *outputs) error { return o.dir.Close() },
		"journal": func(o *outputs) error { return o.journal.close() },
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := output.Create(t.TempDir(), "state")
			if err != nil {
				t.Fatal(err)
			}
			j, err := openJournal(filepath.Join(dir.Path(), journalFile), false)
			if err != nil {
				t.Fatal(err)
			}
			o := &outputs{dir: dir, journal: j}
			defer func() { _ = o.close() }()
			if err := closes(o); err != nil { // of a file that is closed Sync says so
				t.Fatal(err)
			}
			if err := o.commit(new(counted)); err != nil {
				t.Errorf("without power: %v", err)
			}
			o.power = true
			if err := o.commit(new(counted)); !errors.Is(err, os.ErrClosed) {
				t.Errorf("with power: %v", err)
			}
		})
	}
}
