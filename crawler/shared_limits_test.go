package crawler

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// byHand opens or creates a crawl as a worker, without running it.
func byHand(t *testing.T, cfg Config, name string) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(t.Context(), cfg.Sharing.Frontier, &redisstore.Options{
		CrawlName: cfg.Sharing.CrawlName, Prefix: cfg.Sharing.Prefix, WorkerName: name, ExpectedURLs: cfg.Sharing.ExpectedURLs,
	})
	must(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// tells publishes an event of a worker, in the JSON of package cluster.
func tells(t *testing.T, store *redisstore.Store, format string, args ...any) {
	t.Helper()
	must(t, store.Publish(t.Context(), fmt.Appendf(nil, format, args...)))
}

// atFirst serves a page that links to the front page, and calls do at its first request.
func atFirst(s *site, path string, do func()) {
	once := sync.OnceFunc(do)
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		once()
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/">on</a>`)
	})
}

// When a worker ends, its unused share of a limit is available to the others at once.
func TestEndedWorkerReturnsPages(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t, s.url+"/first")
	cfg.Limits.MaxPages, cfg.Limits.Concurrency = 10, 8 // four pages are taken at a time
	var ending *Crawler
	atFirst(s, "/first", func() { ending.Stop() })
	first := runChanged(t, workerConfig(t, cfg, "w1"), nil, func(c *Crawler) { ending = c })
	if first.End != EndStopped || first.Pages != 1 || first.Bytes == 0 {
		t.Fatalf("%+v", first.Summary)
	}
	st, _, err := shared.Status(t.Context(), cfg.Sharing.Frontier, storeOptions(cfg))
	if err != nil || st.Pages() != 1 || st.Workers[0].Bytes != first.Bytes {
		t.Errorf("%+v, %v", st, err)
	}
	if second := runCrawl(t, workerConfig(t, cfg, "w2"), nil); second.End != EndMaxPages || second.Pages != 9 {
		t.Errorf("%+v", second.Summary)
	}
}

// A resumed worker counts the pages in its files for a limit: those that were in flight when it
// was killed, and those that it fetched without a limit.
func TestResumedWorkerKeepsLimits(t *testing.T) {
	t.Parallel()
	s := wide(t, "127.0.0.1", 20)
	cfg := sharedConfig(t)
	cfg.Limits.Concurrency = 8 // four pages are taken at a time

	t.Run("killed", func(t *testing.T) {
		cfg := workerConfig(t, cfg, "w1")
		cfg.Sharing.CrawlName, cfg.URLs, cfg.Limits.MaxPages = "killed", []string{s.url + "/killed"}, 10
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
		cfg.Sharing.CrawlName, cfg.URLs = "limited", []string{s.url + "/limited"}
		var ending *Crawler
		atFirst(s, "/limited", func() { ending.Stop() })
		runChanged(t, cfg, nil, func(c *Crawler) { ending = c })
		if got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 5 }); got.End != EndMaxPages || got.Pages != 5 {
			t.Errorf("%+v", got.Summary)
		}
	})
}

// A worker that waits for a host ends when the limit is reached by other workers, or lowered.
func TestWaitingWorkerEndsWhenALimitIsMet(t *testing.T) {
	t.Parallel()
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
			cfg := sharedConfig(t, s.url+"/")
			cfg.Sharing.CrawlName = fmt.Sprint("bytes-", tt.bytes)
			cfg.Politeness.Delay, cfg.Limits.MaxWait = time.Hour, 2*time.Hour // after robots.txt
			cfg.Limits.MaxBytes, cfg.Limits.MaxTime = 1000, 20*time.Second
			got := runCrawl(t, workerConfig(t, cfg, "w1"), &Options{OnStart: func() {
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

// roundTrip is a transport by a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// If several processes have pages of a host in flight and the last of them fails, the number of
// fetched pages is still exactly the limit.
func TestLimitIsMetThoughAPageFails(t *testing.T) {
	t.Parallel()
	const pages, most = 40, 10
	var asked atomic.Int32
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	var starts []string
	for i := range pages {
		starts = append(starts, fmt.Sprint(s.url, "/", i))
		s.handle(fmt.Sprint("/", i), func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == most {
				w.Header().Set("Content-Length", "2")
				_, _ = w.Write([]byte("1"))
				_ = http.NewResponseController(w).Flush() // so that it is not requested again at once
				time.Sleep(500 * time.Millisecond)        // in which the others could be skipped
				panic(http.ErrAbortHandler)
			}
		})
	}
	cfg := sharedConfig(t, starts...)
	cfg.Politeness.PerHost, cfg.Limits.Concurrency, cfg.Limits.MaxHostPages = 4, 4, most
	all := together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
	fetched, full := 0, 0
	for _, c := range all {
		fetched += c.Pages
		full += c.Rejected[output.MaxHostPages]
	}
	if fetched != most || full != pages-most-1 || asked.Load() != most+1 {
		t.Errorf("%d pages, %d skipped, asked %d times", fetched, full, asked.Load())
	}
}
