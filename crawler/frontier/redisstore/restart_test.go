//go:build unix

package redisstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// Redis is killed and restarted under load, several times. Two workers go on by
// themselves, and in the end every page was fetched, and what was acknowledged and
// kept was fetched once.
func TestRestart(t *testing.T) {
	const putOff = 2500 * time.Millisecond // what everysec may cost, and a little more
	for _, c := range []struct {
		name   string
		policy string
		start  func(t *testing.T, options ...string) (url string, server *redistest.Server)
		kills  int
		torn   int           // bytes that are cut off what was written
		putOff time.Duration // what was acknowledged so long before a kill may be forgotten
	}{
		{"always", "always", startServer, 3, 0, 0},
		{"everysec", "everysec", startServer, 3, 0, putOff},
		{"torn", "always", startServer, 3, 30_000, time.Hour},
		{"cluster", "always", startCluster, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "always" {
				t.Skip("it kills a server again and again")
			}
			t.Parallel()
			url, server := c.start(t, "--appendonly", "yes", "--appendfsync", c.policy)
			w := &web{putOff: c.putOff}
			length := time.Minute
			if c.putOff > 0 {
				length = 2 * time.Second // a page whose end is forgotten comes again when its lease expires
			}
			a := openTest(t, url, Options{WorkerName: "a", Shards: 12, LeaseTime: length})
			b := openTest(t, url, Options{WorkerName: "b", LeaseTime: length})
			w.crawl(t, a, b, func() {
				keep := written(t, server)
				for range c.kills {
					w.progress(webPages / 20)
					w.killing(server.Kill)
					if text := written(t, server); c.torn > 0 {
						tear(t, server, text[:max(len(text)-c.torn, len(keep))])
					}
					server.Restart(t)
				}
			})
			if c.torn > 0 && w.lost == 0 {
				t.Error("nothing was forgotten")
			}
		})
	}
}

func startServer(t *testing.T, options ...string) (string, *redistest.Server) {
	s := redistest.Start(t, options...)
	return s.URL(), s
}

func startCluster(t *testing.T, options ...string) (string, *redistest.Server) {
	c := redistest.StartCluster(t, false, options...)
	return c.URL(), c.Masters[0]
}

// written is what a server has written.
func written(t *testing.T, server *redistest.Server) []byte {
	t.Helper()
	text, err := os.ReadFile(writtenTo(t, server))
	must(t, err)
	return text
}

func writtenTo(t *testing.T, server *redistest.Server) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(server.Dir(), "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatalf("what was written: %v, %v", files, err)
	}
	return files[0]
}

// tear leaves no more than that of what a server has written, up to the end of a
// script: the last of what it said was not written.
func tear(t *testing.T, server *redistest.Server, text []byte) {
	t.Helper()
	const exec = "*1\r\n$4\r\nEXEC\r\n"
	end := bytes.LastIndex(text, []byte(exec))
	if end < 0 {
		t.Fatalf("there are %d bytes", len(text))
	}
	must(t, os.Truncate(writtenTo(t, server), int64(end+len(exec))))
}

// A web of pages, each of which has two links, down to a depth.
type web struct {
	putOff time.Duration // what was acknowledged so long before a kill may be forgotten

	mu    sync.Mutex // guards what follows
	acked map[string][]span
	kills []span
	lost  int // leases that were forgotten
}

// A span is when something was done.
type span struct{ began, ended time.Time }

const (
	webSeeds = 40
	webDepth = 6
	webPages = webSeeds * (1<<(webDepth+1) - 1)
)

func webURL(seed int, path string) string { return fmt.Sprintf("http://h%d.test/%s", seed%20, path) }

func (w *web) seeds() (items []frontier.Item) {
	for n := range webSeeds {
		items = append(items, frontier.Item{URL: webURL(n, fmt.Sprintf("%d.", n))})
	}
	return items
}

// links are those of a page, on its own host and on another.
func (w *web) links(url string) (items []frontier.Item) {
	path := url[strings.LastIndexByte(url, '/')+1:]
	number, turns, _ := strings.Cut(path, ".")
	if len(turns) == webDepth {
		return nil
	}
	var seed int
	if _, err := fmt.Sscan(number, &seed); err != nil {
		panic(err)
	}
	return []frontier.Item{
		{URL: webURL(seed, path+"0")},
		{URL: webURL(seed+len(turns)+1, path+"1")},
	}
}

// killing calls kill and notes when it did so.
func (w *web) killing(kill func()) {
	began := time.Now()
	kill()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kills = append(w.kills, span{began, time.Now()})
}

// crawl has two workers crawl the web while it is disturbed, and looks at what they
// have fetched.
func (w *web) crawl(t *testing.T, a, b *Store, disturb func()) {
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	w.acked = make(map[string][]span)
	addItems(t, a, w.seeds())
	over, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() { w.work(over, t, []*Store{a, b}[n%2]) })
	}
	disturb()
	for {
		st, err := a.Stats(ctx)
		if err != nil {
			t.Errorf("Stats: %v", err)
			break
		}
		if st.Finished() {
			if st.Done != webPages || st.URLs != webPages {
				t.Errorf("%d pages are done of %d, want %d", st.Done, st.URLs, webPages)
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	wg.Wait()
	w.judge(t)
}

// progress waits until more pages are done, so that what comes next comes in the
// middle of the crawl.
func (w *web) progress(pages int) {
	done := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.acked)
	}
	for goal := min(done()+pages, webPages); done() < goal; {
		time.Sleep(time.Millisecond)
	}
}

// work is what a worker does until it is over.
func (w *web) work(over context.Context, t *testing.T, s *Store) {
	for over.Err() == nil {
		leases, err := s.Lease(over, frontier.LeaseRequest{Wait: 50 * time.Millisecond})
		if err != nil && over.Err() == nil {
			t.Errorf("Lease: %v", err)
			return
		}
		for _, l := range leases {
			time.Sleep(time.Millisecond)
			began := time.Now()
			o := frontier.Outcome{Lease: l.ID, Result: frontier.Done, Links: w.links(l.URL), HostDelay: time.Millisecond}
			errs, err := s.Finish(t.Context(), []frontier.Outcome{o}, nil)
			if err != nil || errs[0] != nil && !errors.Is(errs[0], frontier.ErrLeaseLost) {
				t.Errorf("Finish: %v, %v", errs, err)
				return
			}
			w.mu.Lock()
			if errs[0] == nil {
				w.acked[l.URL] = append(w.acked[l.URL], span{began, time.Now()})
			} else {
				w.lost++
			}
			w.mu.Unlock()
		}
	}
}

// judge fails when a page was finished twice, unless Redis may have forgotten the
// first time.
func (w *web) judge(t *testing.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	twice := 0
	for url, acked := range w.acked {
		// A worker may be late to note what was acknowledged to it.
		slices.SortFunc(acked, func(a, b span) int { return a.began.Compare(b.began) })
		for _, first := range acked[:len(acked)-1] {
			twice++
			forgotten := false
			for _, kill := range w.kills {
				forgotten = forgotten || first.began.Before(kill.ended) && first.ended.After(kill.began.Add(-w.putOff))
			}
			if !forgotten || w.putOff == 0 {
				t.Errorf("%s was finished %d times", url, len(acked))
			}
		}
	}
	if w.lost > 0 && w.putOff == 0 {
		t.Errorf("%d leases were lost", w.lost)
	}
	t.Logf("%d pages, %d twice, %d leases forgotten", len(w.acked), twice, w.lost)
}
