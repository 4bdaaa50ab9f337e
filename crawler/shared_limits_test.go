package crawler

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// byHand opens a crawl, or makes it, as a worker of it, for a test to do what that would.
func byHand(t *testing.T, cfg Config, name string) *redisstore.Store {
	t.Helper()
	opts := storeOptions(&cfg)
	opts.Worker = name
	store, err := redisstore.Open(t.Context(), cfg.Frontier, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// tells has a worker tell the others.
func tells(t *testing.T, store *redisstore.Store, m told) {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Tell(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// atFirst has a site serve a page that leads to its front page, and calls do when that is
// asked for the first time.
func atFirst(s *site, path string, do func()) {
	once := sync.OnceFunc(do)
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		once()
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/">on</a>`)
	})
}

// What a worker has in hand of a limit when it ends is there for the others, who know at
// once what it has had.
func TestEndedWorkerGivesBack(t *testing.T) {
	server := redistest.Start(t)
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, server.URL(), s.url+"/first")
	cfg.MaxPages, cfg.Workers = 10, 8 // four pages are taken at a time
	var ending *Crawler
	atFirst(s, "/first", func() { ending.Stop() })
	first := runChanged(t, worker(t, cfg, "w1"), nil, func(c *Crawler) { ending = c })
	if first.End != EndInterrupted || first.Pages != 1 || first.Bytes == 0 {
		t.Fatalf("%+v", first.Summary)
	}
	st, err := SharedStatus(t.Context(), cfg)
	if err != nil || st.Pages() != 1 || st.Workers[0].Bytes != first.Bytes {
		t.Errorf("%+v, %v", st, err)
	}
	if second := run(t, worker(t, cfg, "w2"), nil); second.End != EndMaxPages || second.Pages != 9 {
		t.Errorf("%+v", second.Summary)
	}
}

// A worker that goes on has what its files hold of a limit: it does not miss the pages
// that it had in hand when it was killed, and those count that it fetched without a limit.
func TestWorkerGoesOnWithinLimits(t *testing.T) {
	server := redistest.Start(t)
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, server.URL())
	cfg.Workers = 8 // four pages are taken at a time

	t.Run("killed", func(t *testing.T) {
		cfg := worker(t, cfg, "w1")
		cfg.Join, cfg.URLs, cfg.MaxPages = "killed", []string{s.url + "/killed"}, 10
		inside, dead := make(chan struct{}), make(chan struct{})
		atFirst(s, "/killed", func() { close(inside); <-dead })
		cmd, _ := child(t, cfg)
		<-inside
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
		close(dead)
		if got := resume(t, cfg, nil); got.End != EndMaxPages || got.Pages != 10 {
			t.Errorf("%+v", got.Summary)
		}
	})
	t.Run("limited later", func(t *testing.T) {
		cfg := worker(t, cfg, "w1")
		cfg.Join, cfg.URLs = "limited", []string{s.url + "/limited"}
		var ending *Crawler
		atFirst(s, "/limited", func() { ending.Stop() })
		runChanged(t, cfg, nil, func(c *Crawler) { ending = c })
		if got := resume(t, cfg, func(c *Config) { c.MaxPages = 5 }); got.End != EndMaxPages || got.Pages != 5 {
			t.Errorf("%+v", got.Summary)
		}
	})
}

// Who waits for the turn of a host ends all the same when a limit has been met meanwhile,
// by what others have had or because it is another now.
func TestLimitIsMetWhileOneWaits(t *testing.T) {
	server := redistest.Start(t)
	s := newSite(t, "127.0.0.1", map[string]string{"/": "page"})
	lower := int64(400)
	for name, tt := range map[string]struct {
		bytes int64 // of the other worker
		limit *int64
	}{
		"by others":  {1000, nil},
		"it is less": {500, &lower},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := sharedConfig(t, server.URL(), s.url+"/")
			cfg.Join = fmt.Sprint("bytes-", tt.bytes)
			cfg.Delay, cfg.MaxWait = time.Hour, 2*time.Hour // after robots.txt
			cfg.MaxBytes, cfg.MaxTime = 1000, 20*time.Second
			got := run(t, worker(t, cfg, "w1"), &Options{Begun: func() {
				other := byHand(t, cfg, "w2")
				if _, err := other.Sync(t.Context(), fmt.Appendf(nil, `{"bytes":%d}`, tt.bytes), 0); err != nil {
					t.Fatal(err)
				}
				if tt.limit != nil {
					tells(t, other, told{Limits: &sharedLimits{MaxBytes: tt.limit}})
				}
			}})
			if got.End != EndMaxBytes || got.Pages != 0 {
				t.Errorf("%+v", got.Summary)
			}
		})
	}
}

// askedCounters count how often they are asked, and have something happen on the way to
// them or back.
type askedCounters struct {
	fakeCounters
	asked int
	there func() // nil: nothing happens
	back  func()
}

func (c *askedCounters) Take(ctx context.Context, counter string, n, most int64) (int64, error) {
	c.asked++
	if c.there != nil {
		c.there()
	}
	if c.back != nil {
		defer c.back()
	}
	return c.fakeCounters.Take(ctx, counter, n, most)
}

// Two turns that find a budget empty at the same time draw once: what one had more in
// hand others would miss.
func TestDrawnOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		set     func(*Config)
		counter string
		before  int64 // in the counter
		after   int64
	}{
		"pages":             {func(c *Config) { c.MaxPages = 10 }, pageCounter, 0, 3},
		"no pages":          {func(c *Config) { c.MaxPages = 10 }, pageCounter, 10, 10},
		"pages of a host":   {func(c *Config) { c.MaxHostPages = 10 }, hostCounter + "a", 0, 1},
		"no page of a host": {func(c *Config) { c.MaxHostPages = 10 }, hostCounter + "a", 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			all := &askedCounters{fakeCounters: fakeCounters{taken: map[string]int64{tt.counter: tt.before}}}
			cfg := Default()
			cfg.Workers = 6
			tt.set(&cfg)
			l := newLimits(&cfg, all)
			_, one := l.tryTake("a")
			_, two := l.tryTake("a")
			if one == nil || one != two {
				t.Fatal("the budget is not empty")
			}
			for range 2 {
				if err := l.draw(t.Context(), "a", one); err != nil {
					t.Fatal(err)
				}
			}
			if all.asked != 1 || all.taken[tt.counter] != tt.after {
				t.Errorf("asked %d times, taken %d, want %d", all.asked, all.taken[tt.counter], tt.after)
			}
		})
	}
}

// A counter that had no more by the limit that was is asked again by the one that is.
func TestLimitIsRaisedMeanwhile(t *testing.T) {
	more := 12
	for name, tt := range map[string]struct {
		set            func(*Config)
		counter        string
		pages, perHost *int
	}{
		"max-pages":      {func(c *Config) { c.MaxPages = 10 }, pageCounter, &more, nil},
		"max-host-pages": {func(c *Config) { c.MaxHostPages = 10 }, hostCounter + "a", nil, &more},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Default()
			tt.set(&cfg)
			all := &askedCounters{fakeCounters: fakeCounters{taken: map[string]int64{tt.counter: 10}}}
			l := newLimits(&cfg, all)
			all.back = sync.OnceFunc(func() { l.change(tt.pages, tt.perHost, nil) })
			if got, err := l.take(t.Context(), "a"); got != granted || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
}

// A counter that is settled while a page is drawn or given back says afterwards what the
// worker has of it.
func TestSettledMeanwhile(t *testing.T) {
	const counter = hostCounter + "a"
	cfg := Default()
	cfg.MaxHostPages = 2
	all := &askedCounters{fakeCounters: fakeCounters{taken: make(map[string]int64)}}
	l := newLimits(&cfg, all)
	var settling sync.WaitGroup
	settle := func() {
		settled := make(chan struct{})
		settling.Go(func() {
			defer close(settled)
			if err := l.settle(t.Context(), false); err != nil {
				t.Error(err)
			}
		})
		select {
		case <-settled:
		case <-time.After(20 * time.Millisecond): // it waits, as it should
		}
	}
	all.back = settle // the counter has it, and the worker does not know
	if got, err := l.take(t.Context(), "a"); got != granted || err != nil {
		t.Fatalf("%d, %v", got, err)
	}
	settling.Wait()
	if n := all.taken[counter]; n != 1 {
		t.Errorf("with a page in flight %d are taken", n)
	}
	all.back, all.there = nil, settle // the worker has it no more, and the counter does
	if err := l.done(t.Context(), "a", false, 0); err != nil {
		t.Fatal(err)
	}
	settling.Wait()
	if n := all.taken[counter]; n != 0 {
		t.Errorf("with none %d are taken", n)
	}
}

// The last page of a host that a turn gives back is there for the next turn, also in a
// process that was told before that there is none.
func TestLastPageIsGivenBack(t *testing.T) {
	cfg := Default()
	cfg.MaxHostPages = 1
	l := newLimits(&cfg, &fakeCounters{taken: make(map[string]int64)})
	for i, want := range []share{granted, crowded, granted} {
		if i == 2 {
			if err := l.done(t.Context(), "a", false, 0); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := l.take(t.Context(), "a"); got != want || err != nil {
			t.Errorf("turn %d: %d, %v, want %d", i, got, err, want)
		}
	}
}

// A worker for which there is no page any more has none of a host in hand either, which
// another that has pages would miss.
func TestNoPageInHand(t *testing.T) {
	all := &fakeCounters{taken: make(map[string]int64)}
	cfg := Default()
	cfg.MaxPages, cfg.MaxHostPages, cfg.Workers = 4, 1, 8 // four pages are taken at a time
	one, two := newLimits(&cfg, all), newLimits(&cfg, all)
	for _, turn := range []struct {
		of   *limits
		host frontier.Host
		want share
	}{{two, "b", granted}, {one, "a", allSpent}, {two, "a", granted}} {
		if got, err := turn.of.take(t.Context(), turn.host); got != turn.want || err != nil {
			t.Errorf("%s: %d, %v, want %d", turn.host, got, err, turn.want)
		}
	}
}

// A worker at its work that is told of a limit says what it has had.
func TestToldOfALimit(t *testing.T) {
	cfg := testConfig(t, "http://a.test/")
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := &fakeCounters{taken: make(map[string]int64)}
	c.limits = newLimits(&cfg, all)
	c.limits.count("http://a.test", 1)
	most := 5
	if err := (&shared{c: c}).act(t.Context(), told{Limits: &sharedLimits{MaxPages: &most}}); err != nil || all.taken[pageCounter] != 1 {
		t.Errorf("%v, %v, want that one page was taken", err, all.taken)
	}
}
