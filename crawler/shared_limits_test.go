package crawler

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// byHand opens a crawl, or makes it, as a worker of it, for a test to do what that would.
func byHand(t *testing.T, cfg Config, name string) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(t.Context(), cfg.Cluster.Frontier, &redisstore.Options{
		Crawl: cfg.Cluster.Join, Prefix: cfg.Cluster.Prefix, Worker: name, Expected: cfg.Cluster.ExpectedURLs,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// tells has a worker tell the others, in JSON as package cluster does.
func tells(t *testing.T, store *redisstore.Store, format string, args ...any) {
	t.Helper()
	if err := store.Tell(t.Context(), fmt.Appendf(nil, format, args...)); err != nil {
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
	cfg.Limits.MaxPages, cfg.Limits.Workers = 10, 8 // four pages are taken at a time
	var ending *Crawler
	atFirst(s, "/first", func() { ending.Stop() })
	first := runChanged(t, workerConfig(t, cfg, "w1"), nil, func(c *Crawler) { ending = c })
	if first.End != EndInterrupted || first.Pages != 1 || first.Bytes == 0 {
		t.Fatalf("%+v", first.Summary)
	}
	st, _, err := shared.Status(t.Context(), cfg.Cluster.Frontier, storeOptions(cfg))
	if err != nil || st.Pages() != 1 || st.Workers[0].Bytes != first.Bytes {
		t.Errorf("%+v, %v", st, err)
	}
	if second := run(t, workerConfig(t, cfg, "w2"), nil); second.End != EndMaxPages || second.Pages != 9 {
		t.Errorf("%+v", second.Summary)
	}
}

// A worker that goes on has what its files hold of a limit: it does not miss the pages
// that it had in hand when it was killed, and those count that it fetched without a limit.
func TestWorkerGoesOnWithinLimits(t *testing.T) {
	server := redistest.Start(t)
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, server.URL())
	cfg.Limits.Workers = 8 // four pages are taken at a time

	t.Run("killed", func(t *testing.T) {
		cfg := workerConfig(t, cfg, "w1")
		cfg.Cluster.Join, cfg.URLs, cfg.Limits.MaxPages = "killed", []string{s.url + "/killed"}, 10
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
		cfg := workerConfig(t, cfg, "w1")
		cfg.Cluster.Join, cfg.URLs = "limited", []string{s.url + "/limited"}
		var ending *Crawler
		atFirst(s, "/limited", func() { ending.Stop() })
		runChanged(t, cfg, nil, func(c *Crawler) { ending = c })
		if got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 5 }); got.End != EndMaxPages || got.Pages != 5 {
			t.Errorf("%+v", got.Summary)
		}
	})
}

// Who waits for the turn of a host ends all the same when a limit has been met meanwhile,
// by what others have had or because it is another now.
func TestWaitingWorkerEndsWhenALimitIsMet(t *testing.T) {
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
			cfg.Cluster.Join = fmt.Sprint("bytes-", tt.bytes)
			cfg.Politeness.Delay, cfg.Limits.MaxWait = time.Hour, 2*time.Hour // after robots.txt
			cfg.Limits.MaxBytes, cfg.Limits.MaxTime = 1000, 20*time.Second
			got := run(t, workerConfig(t, cfg, "w1"), &Options{Begun: func() {
				other := byHand(t, cfg, "w2")
				if _, err := other.Sync(t.Context(), fmt.Appendf(nil, `{"bytes":%d}`, tt.bytes), 0); err != nil {
					t.Fatal(err)
				}
				if tt.limit != nil {
					tells(t, other, `{"limits":{"max-bytes":%d}}`, *tt.limit)
				}
			}})
			if got.End != EndMaxBytes || got.Pages != 0 {
				t.Errorf("%+v", got.Summary)
			}
		})
	}
}

// A worker at its work that is told of a limit says what it has had.
func TestWorkerReportsItsPagesWhenALimitIsAnnounced(t *testing.T) {
	cfg := testConfig(t, "http://a.test/")
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make(quota.LocalCounters)
	c.limits = quota.NewPages(limitsIn(&cfg), all)
	c.limits.Count("http://a.test", 1)
	most := 5
	if err := (handler{c}).ChangeLimits(t.Context(), &cluster.Limits{MaxPages: &most}); err != nil || all[quota.PageCounter] != 1 {
		t.Errorf("%v, %v, want that one page was taken", err, all)
	}
}
