package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// byHand opens or creates a crawl as a worker, without running it.
func byHand(t *testing.T, cfg Config, name string) *redisstore.Store {
	t.Helper()
	store, err := redisstore.Open(t.Context(), cfg.Sharing.Frontier, &redisstore.Options{
		CrawlName: cfg.Sharing.CrawlName, Prefix: cfg.Sharing.Prefix, WorkerName: name, ExpectedURLs: cfg.Sharing.ExpectedURLs,
	})
	if err != nil {
		t.Fatal(err)
	}
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
	if second := run(t, workerConfig(t, cfg, "w2"), nil); second.End != EndMaxPages || second.Pages != 9 {
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
			got := run(t, workerConfig(t, cfg, "w1"), &Options{OnStart: func() {
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

// A running worker that receives a new limit reports its pages.
func TestWorkerReportsItsPagesWhenALimitIsAnnounced(t *testing.T) {
	cfg := testConfig(t, "http://a.test/")
	c := newCrawler(t, cfg, nil)
	all := make(quota.LocalCounters)
	c.limits = quota.NewPages(limitsIn(&cfg), all)
	c.limits.Count("http://a.test", 1)
	most := 5
	if err := (handler{c}).ChangeLimits(t.Context(), &cluster.Limits{MaxPages: &most}); err != nil || all[quota.PageCounter] != 1 {
		t.Errorf("%v, %v, want that one page was taken", err, all)
	}
}

// roundTrip is a transport by a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The last page of a host that another process has in flight may fail. Until then, a worker
// neither skips the URLs of the host nor leases them again and again.
func TestWorkerWaitsForTheLastPageOfAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		status int // 0: it breaks off
		want   frontier.Result
	}{
		"it is one":      {http.StatusOK, frontier.Drop},
		"it breaks off":  {0, frontier.Done},
		"it comes again": {http.StatusServiceUnavailable, frontier.Done},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { isElsewhere(t, tt.status, tt.want) })
		})
	}
}

// isElsewhere has the last page of a host in flight in one process, with a status, and checks
// what another process does with its URL.
func isElsewhere(t *testing.T, status int, want frontier.Result) {
	var first string
	free := make(chan struct{})
	opts := &Options{
		Frontier: frontier.NewMemory(nil),
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			if r.URL.String() == first {
				<-free
				if status == 0 {
					return nil, errors.New("broken off")
				}
				w.WriteHeader(status)
			}
			resp := w.Result()
			resp.Request = r
			return resp, nil
		}),
	}
	counters := make(quota.LocalCounters)
	process := func() *Crawler {
		cfg := testConfig(t, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		cfg.Politeness.PerHost, cfg.Limits.MaxHostPages, cfg.Fetch.Retries = 3, 1, 1
		c := opened(t, cfg, opts)
		c.limits = quota.NewPages(limitsIn(&cfg), counters)
		c.visitor.Limits = c.limits
		t.Cleanup(func() { _ = c.close() })
		return c
	}
	c, other := process(), process()
	defer c.lifecycle.Abort()
	defer other.lifecycle.Abort()
	visited(t, c, leased(t, c)) // which goes to robots.txt
	lease := leased(t, c)
	first = lease.URL
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		visited(t, c, lease)
	}()
	synctest.Wait() // it is in flight
	two := []frontier.Lease{leased(t, other), leased(t, other)}
	meanwhile := []frontier.Result{visited(t, other, two[0]), visited(t, other, two[1])}
	again, err := other.frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: time.Minute, Duration: other.leases.duration})
	close(free)
	<-ended
	if !slices.Equal(meanwhile, []frontier.Result{frontier.Defer, frontier.Defer}) || len(again) > 0 || err != nil {
		t.Fatalf("while the last page is in flight: %v, then %v, %v", meanwhile, again, err)
	}
	if got := visited(t, other, leased(t, other)); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	for { // what is left, or comes again
		stats, err := c.frontier.Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if stats.Finished() {
			break
		}
		v := leased(t, c)
		if got := visited(t, c, v); got != frontier.Drop && got != frontier.Defer {
			t.Errorf("%s: %v of a host that has had its pages", v.URL, got)
		}
	}
	if rec, err := c.frontier.Host(t.Context(), "a.test"); err != nil || rec.Done != 1 || rec.MaxInFlight != 3 {
		t.Errorf("%+v, %v, want one page", rec, err)
	}
}

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

// Status has the URLs remaining when a resumed worker starts.
func TestResumedWorkerKnowsURLsRemaining(t *testing.T) {
	s := wide(t, "127.0.0.1", 5)
	cfg := workerConfig(t, sharedConfig(t, s.url+"/"), "w1")
	cfg.Limits.MaxPages = 2
	first := run(t, cfg, nil)
	cfg = savedConfig(t, cfg)
	cfg.Limits.MaxPages = 0
	var c *Crawler
	remaining := -1
	c = newCrawler(t, cfg, &Options{Resume: true, OnStart: func() { remaining = statusOf(t, c).Remaining }})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first.Remaining == 0 || remaining != first.Remaining {
		t.Errorf("%d URLs remaining at the start, want %d", remaining, first.Remaining)
	}
}
