package crawler

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
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

// restart has a crawl read back what it has written, as another process would.
func restart(t *testing.T, c *Crawler) {
	t.Helper()
	if err := c.record.Close(); err != nil {
		t.Fatal(err)
	}
	c.record = c.newRecorder()
	c.recorder = crawlRecorder{c.record}
	c.found.use(c.frontier, c.member, c.record, c.recorder)
	for _, step := range []func() error{c.record.Load, c.record.Open, c.restore} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

// leased takes the next URL.
func leased(t *testing.T, c *Crawler) *visit {
	t.Helper()
	got, err := c.frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, For: c.leases.duration})
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	return &visit{lease: got[0]}
}

// visited deals with a URL as a worker does, and returns what is to become of it.
func visited(t *testing.T, c *Crawler, v *visit) frontier.Result {
	t.Helper()
	w := &worker{c: c, pages: c.pages, recorder: c.recorder}
	d, err := w.visit(v)
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := w.act(v, d)
	if err != nil {
		t.Fatal(err)
	}
	if errs, err := c.frontier.Finish(t.Context(), []frontier.Outcome{outcome}, nil); err != nil || errs[0] != nil {
		t.Fatal(errs, err)
	}
	return outcome.Result
}

// stores has another process that shares the frontier of a crawl, and whose clock is so
// much ahead, ask for a robots.txt.
func stores(t *testing.T, f frontier.Frontier, rec *robotsext.Record, ahead time.Duration) {
	t.Helper()
	rec.FetchedAt = time.Now().Add(ahead)
	rec.ExpiresAt = time.Now().Add(24 * time.Hour)
	if err := (&robotsCache{frontier: f, failed: func() bool { return false }}).Store(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
}

// reaches has it find that there is none.
func reaches(t *testing.T, f frontier.Frontier, origin robotsext.Origin, ahead time.Duration) {
	t.Helper()
	stores(t, f, &robotsext.Record{Origin: origin, Outcome: robotsext.AllowAll, Status: http.StatusNotFound}, ahead)
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
func TestSlowWorkerDoesNotEndALaterOutage(t *testing.T) {
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
	cfg.Robots.Retry, cfg.Politeness.PerHost = time.Hour, 2
	c := opened(t, cfg, &Options{
		Frontier: frontier.NewMemory(&frontier.Options{MaxInFlight: cfg.Politeness.PerHost}),
		Transport: answering(func(w http.ResponseWriter, _ *http.Request) {
			if away {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}),
	})
	defer c.life.Abort()
	if got := visited(t, c, leased(t, c)); got != frontier.Defer {
		t.Fatal(got) // it has gone to robots.txt
	}
	if before {
		away = false
		time.Sleep(time.Second)
		reaches(t, c.frontier, "http://a.test", 0)
	}
	time.Sleep(24*time.Hour - time.Second)
	one, two := leased(t, c), leased(t, c)
	working, looks := c.life.Working, 0
	c.life.Working = looked{working, func() {
		if looks++; looks == n {
			time.Sleep(2 * time.Second) // the robots.txt is old now
			away, c.life.Working = true, working
			if got := visited(t, c, two); got != frontier.Defer {
				t.Fatal(got)
			}
		}
	}}
	done := visited(t, c, one) == frontier.Done
	c.life.Working = working
	if looks < n {
		return false
	}
	if _, err := c.ended(); err != nil {
		t.Fatal(err)
	}
	listed := readOutput[output.Rejection](t, cfg, "rejected.jsonl")
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

// A host that is put off for a reason of our own, and not because its robots.txt could not
// be reached, waits until it has been reached since: by a process that was there before, as
// by one that starts again, and whatever the clocks of others say.
func TestHostDeferredByUsWaitsUntilReached(t *testing.T) {
	for _, known := range []bool{false, true} {
		for _, ahead := range []time.Duration{-100 * time.Hour, 0, 100 * time.Hour} {
			t.Run(fmt.Sprintf("known %t, clock ahead %v", known, ahead), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { isPutOff(t, known, ahead) })
			})
		}
	}
}

// isPutOff has the robots.txt of a host, which was known once or never, lead to another
// host whose turn does not come; then another process, whose clock is so much ahead,
// reaches it; then the same once more.
func isPutOff(t *testing.T, known bool, ahead time.Duration) {
	const host, busy = "http://a.test", "http://b.test"
	c := opened(t, testConfig(t, host+"/"), &Options{
		Frontier: frontier.NewMemory(nil),
		Transport: answering(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, busy+"/all.txt", http.StatusFound)
		}),
	})
	defer c.life.Abort()
	wantWaits := func(want bool) {
		t.Helper()
		for _, when := range []string{"at work", "when it starts again"} {
			if err := c.recovered(); err != nil {
				t.Fatal(err)
			}
			if hosts, _ := c.record.Deferred.All(); slices.Contains(hosts, host) != want {
				t.Errorf("%s: %v wait, want %t", when, hosts, want)
			}
			restart(t, c)
		}
	}
	if known {
		reaches(t, c.frontier, host, 0)
	}
	for again := range 3 {
		time.Sleep(25 * time.Hour)
		release, err := c.frontier.Hold(t.Context(), weburl.ServerOf(busy))
		if err != nil {
			t.Fatal(err)
		}
		if got := visited(t, c, leased(t, c)); got != frontier.Defer {
			t.Fatal(got)
		}
		release(0)
		wantWaits(true)
		reaches(t, c.frontier, host, ahead)
		if again == 1 {
			continue // nobody looks whether it was reached before it is put off again
		}
		wantWaits(false)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// An earlier version wrote what came of a robots.txt with the name of a package before it,
// and not which fetch of it was known.
func TestNotesOfAnEarlierVersion(t *testing.T) {
	const host = "http://a.test"
	c := opened(t, testConfig(t, host+"/"), &Options{Frontier: frontier.NewMemory(nil), Transport: answering(nil)})
	defer c.life.Abort()
	line := `{"later":"` + host + `","why":{"url":"","reason":"later","depth":0,"detail":"status 503"}}` + "\n"
	if err := os.WriteFile(filepath.Join(c.cfg.Output.Dir, record.JournalFile), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	restart(t, c)
	if noted := c.record.Deferred.Get(host); noted == nil || noted.Why.Detail != "status 503" {
		t.Errorf("%+v", noted)
	}
	reaches(t, c.frontier, host, 0)
	if err := c.recovered(); err != nil || c.record.Deferred.Get(host) != nil {
		t.Errorf("%v: it waits although others have reached it", err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}
