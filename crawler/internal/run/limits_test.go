package run

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
)

// The last page of a host that another process has in flight may fail. Until then, a worker
// neither skips the URLs of the host nor leases them again and again.
func TestWorkerWaitsForTheLastPageOfAnother(t *testing.T) {
	for name, tt := range map[string]struct {
		status int // 0 ends the connection
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
	network := roundTrip(func(r *http.Request) (*http.Response, error) {
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
	})
	f, counters := frontier.NewMemory(nil), make(quota.LocalCounters)
	process := func() *Crawl {
		set := testSettings(t, network, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		set.Limits.MaxHostPages, set.Limits.MaxInFlight, set.Delays.MaxInFlight, set.Visit.Requests.PerHost, set.Visit.Retries = 1, 3, 3, 3, 1
		c := opened(t, set, f)
		c.parts.Limits = quota.NewPages(set.Limits, counters)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	c, other := process(), process()
	defer c.parts.Lifecycle.Abort()
	defer other.parts.Lifecycle.Abort()
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
	again, err := other.parts.Frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: time.Minute, Duration: other.set.Visit.LeaseTime})
	close(free)
	<-ended
	if !slices.Equal(meanwhile, []frontier.Result{frontier.Defer, frontier.Defer}) || len(again) > 0 || err != nil {
		t.Fatalf("while the last page is in flight: %v, then %v, %v", meanwhile, again, err)
	}
	if got := visited(t, other, leased(t, other)); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	for { // what is left, or comes again
		stats, err := c.parts.Frontier.Stats(t.Context())
		must(t, err)
		if stats.Finished() {
			break
		}
		v := leased(t, c)
		if got := visited(t, c, v); got != frontier.Drop && got != frontier.Defer {
			t.Errorf("%s: %v of a host that has had its pages", v.URL, got)
		}
	}
	if rec, err := c.parts.Frontier.Host(t.Context(), "a.test"); err != nil || rec.Done != 1 || rec.MaxInFlight != 3 {
		t.Errorf("%+v, %v, want one page", rec, err)
	}
}

// roundTrip is a network by a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
