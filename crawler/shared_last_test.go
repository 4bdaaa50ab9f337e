package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// roundTrip is a function that answers requests.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The last page of a host that one process has in flight may come to nothing: until it is
// known what comes of it, another does not leave the URLs of the host alone, nor is it given
// them again and again.
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

// isElsewhere has the last page of a host in flight in one process end with a status, and
// wants something to become of the URL that another process has of it.
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
		t.Cleanup(func() { _ = c.close() })
		return c
	}
	c, other := process(), process()
	defer c.life.Abort()
	defer other.life.Abort()
	visited(t, c, leased(t, c)) // which goes to robots.txt
	lease := leased(t, c)
	first = lease.lease.URL
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		visited(t, c, lease)
	}()
	synctest.Wait() // it is in flight
	two := []*visit{leased(t, other), leased(t, other)}
	meanwhile := []frontier.Result{visited(t, other, two[0]), visited(t, other, two[1])}
	again, err := other.frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: time.Minute, For: other.leases.duration})
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
			t.Errorf("%s: %v of a host that has had its pages", v.lease.URL, got)
		}
	}
	if rec, err := c.frontier.Host(t.Context(), "a.test"); err != nil || rec.Done != 1 || rec.MaxInFlight != 3 {
		t.Errorf("%+v, %v, want one page", rec, err)
	}
}

// With several pages of a host in flight at once, in several processes, and the last of
// them coming to nothing, exactly as many are fetched as the limit says.
func TestLimitIsMetThoughAPageFails(t *testing.T) {
	server := redistest.Start(t)
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
				_ = http.NewResponseController(w).Flush() // so that it is not asked for again at once
				time.Sleep(500 * time.Millisecond)        // in which the others could be left alone
				panic(http.ErrAbortHandler)
			}
		})
	}
	cfg := sharedConfig(t, server.URL(), starts...)
	cfg.Politeness.PerHost, cfg.Limits.Workers, cfg.Limits.MaxHostPages = 4, 4, most
	all := together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2"))
	fetched, full := 0, 0
	for _, c := range all {
		fetched += c.Pages
		full += c.Rejected[output.HostFull]
	}
	if fetched != most || full != pages-most-1 || asked.Load() != most+1 {
		t.Errorf("%d pages, %d left alone, asked %d times", fetched, full, asked.Load())
	}
}
