package crawler

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// answering is a network of sites that are all the same.
type answering http.HandlerFunc

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// opened returns a crawl that is open, for a test to do what its workers would.
func opened(t *testing.T, cfg Config, opts *Options) *Crawler {
	t.Helper()
	c, err := New(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	return c
}

// leased takes the next URL.
func leased(t *testing.T, c *Crawler) *visit {
	t.Helper()
	got, err := c.frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, For: c.leaseTime})
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	return &visit{lease: got[0]}
}

// visited deals with a URL as a worker does, and returns what is to become of it.
func visited(t *testing.T, c *Crawler, v *visit) frontier.Result {
	t.Helper()
	outcome, err := c.visit(v)
	if err != nil {
		t.Fatal(err)
	}
	if errs, err := c.frontier.Finish(t.Context(), []frontier.Outcome{outcome}, nil); err != nil || errs[0] != nil {
		t.Fatal(errs, err)
	}
	return outcome.Result
}

// reaches has another process that shares the frontier of a crawl reach a robots.txt.
func reaches(t *testing.T, f frontier.Frontier, origin robotsext.Origin) {
	t.Helper()
	now := time.Now()
	err := (&robotsCache{frontier: f, failed: func() bool { return false }}).Store(t.Context(), &robotsext.Record{
		Origin: origin, Outcome: robotsext.AllowAll, Status: http.StatusNotFound, FetchedAt: now, ExpiresAt: now.Add(24 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// looked calls a function each time somebody looks whether the context has ended.
type looked struct {
	context.Context
	then func()
}

func (l looked) Err() error {
	l.then()
	return l.Context.Err()
}

// A worker that was allowed by a robots.txt, and is slow to go on, does not say that its
// host is back when that could not be reached meanwhile: whenever that is, each URL that
// waits for it is listed.
func TestAllowedBeforeItWasAway(t *testing.T) {
	for _, before := range []bool{false, true} { // it was away before, too
		for moment, reached := 1, true; reached; moment++ {
			t.Run(fmt.Sprintf("at look %d, away before %t", moment, before), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { reached = isAwayAt(t, moment, before) })
			})
		}
	}
}

// isAwayAt has the robots.txt of a host be out of reach for one worker when another, which
// it allows its URL, looks for the n-th time whether it is to go on. Before tells whether it
// had been so, and another process has reached it since. It tells whether there was such a
// look.
func isAwayAt(t *testing.T, n int, before bool) (reached bool) {
	away := before
	cfg := testConfig(t, "http://a.test/1", "http://a.test/2")
	cfg.RobotsRetry, cfg.PerHost = time.Hour, 2
	c := opened(t, cfg, &Options{
		Frontier: frontier.NewMemory(&frontier.Options{MaxInFlight: cfg.PerHost}),
		Transport: answering(func(w http.ResponseWriter, _ *http.Request) {
			if away {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}),
	})
	defer c.abort()
	if got := visited(t, c, leased(t, c)); got != frontier.Defer {
		t.Fatal(got) // it has gone to robots.txt
	}
	if before {
		away = false
		time.Sleep(time.Second)
		reaches(t, c.frontier, "http://a.test")
	}
	time.Sleep(24*time.Hour - time.Second)
	one, two := leased(t, c), leased(t, c)
	working, looks := c.working, 0
	c.working = looked{working, func() {
		if looks++; looks == n {
			time.Sleep(2 * time.Second) // the robots.txt is old now
			away, c.working = true, working
			if got := visited(t, c, two); got != frontier.Defer {
				t.Fatal(got)
			}
		}
	}}
	done := visited(t, c, one) == frontier.Done
	c.working = working
	if looks < n {
		return false
	}
	if _, err := c.ended(); err != nil {
		t.Fatal(err)
	}
	listed := readOutput[output.Rejection](t, cfg, output.RejectedFile)
	for _, v := range []*visit{one, two} {
		if v == one && done {
			continue
		}
		if !slices.ContainsFunc(listed, func(r output.Rejection) bool { return r.URL == v.lease.URL && r.Reason == output.Later }) {
			t.Errorf("%s waits, and stands in no file", v.lease.URL)
		}
	}
	return true
}
