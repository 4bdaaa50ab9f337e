package run

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// counts is a Tally.
type counts struct {
	mu                                 sync.Mutex // guards all below
	pages, sitemaps, entries, rejected int
	robots                             int
}

func (c *counts) Add(page *output.Page, lines *output.Results) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if page != nil {
		c.pages++
	}
	c.sitemaps, c.entries, c.rejected = c.sitemaps+len(lines.Sitemaps), c.entries+len(lines.Entries), c.rejected+len(lines.Rejected)
}

func (c *counts) AddRobots()              { c.robots++ }
func (*counts) AddListed(*results.Listed) {}
func (*counts) Progress() (int, int64)    { return 0, 0 }

// unchanged is the Config of the earlier run.
type unchanged struct{}

func (unchanged) MarshalJSON() ([]byte, error)              { return []byte("{}"), nil }
func (unchanged) Changes(json.RawMessage) (*Changes, error) { return new(Changes), nil }
func (unchanged) Join(string, *cluster.Limits)              {}

// testSettings are settings for a crawl of some URLs, in a new directory. A network sends the requests.
func testSettings(t *testing.T, network http.RoundTripper, urls ...string) Settings {
	t.Helper()
	const token, timeout = "politecrawl", 30 * time.Second
	return Settings{
		Workers: 1, Limits: quota.Limits{Workers: 1, MaxInFlight: 1}, Results: results.Config{Dir: filepath.Join(t.TempDir(), "crawl")},
		Delays: politeness.Options{MaxInFlight: 1, Token: token},
		Robots: robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: timeout}, Outage: robotsext.OutageOptions{RetryMin: time.Hour}},
		Visit: visit.Settings{
			Token: token, LeaseTime: time.Hour,
			Discover: discover.Settings{Start: urls, MaxSitemaps: 1000},
			Requests: fetch.Config{UserAgent: token + "/1.0", Timeout: timeout, MaxBody: 1 << 20, Workers: 1, PerHost: 1, Base: network},
		},
	}
}

// opened returns an open crawl without workers. A nil frontier is in its directory.
func opened(t *testing.T, set Settings, f frontier.Frontier) *Crawl {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c := New(unchanged{}, new(counts), visit.Parts{Parts: discover.Parts{
		Scope: scope.New(scope.Host, scope.Bounds{MaxDepth: -1, MaxURL: 8000}), Frontier: f, Lifecycle: lifecycle.New(log, nil), Board: notice.New(nil), Log: log,
	}})
	must(t, c.Open(set))
	note(c)
	return c
}

// worked works until the crawl is over.
func worked(t *testing.T, c *Crawl) (*Result, error) {
	t.Helper()
	leases, stop := c.parts.Lifecycle.Leases(t.Context())
	defer stop()
	c.Work(leases)
	c.parts.Lifecycle.Abort()
	return c.End()
}

// note records for visited how visits end.
func note(c *Crawl) {
	c.parts.Recorder = &outcomes{Recorder: c.parts.Recorder, of: make(map[frontier.LeaseID]frontier.Result)}
}

// outcomes notes how visits end.
type outcomes struct {
	discover.Recorder

	mu sync.Mutex // guards of
	of map[frontier.LeaseID]frontier.Result
}

func (r *outcomes) Commit(o frontier.Outcome, page *output.Page, lines results.Batch) error {
	r.mu.Lock()
	r.of[o.Lease] = o.Result
	r.mu.Unlock()
	return r.Recorder.Commit(o, page, lines)
}

// leased leases the next URL.
func leased(t *testing.T, c *Crawl) frontier.Lease {
	t.Helper()
	got, err := c.parts.Frontier.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.set.Visit.LeaseTime})
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	return got[0]
}

// visited visits a URL like a worker, and returns how it ended.
func visited(t *testing.T, c *Crawl, lease frontier.Lease) frontier.Result {
	t.Helper()
	if _, _, err := c.visitor.Visit(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	ended := c.parts.Recorder.(*outcomes)
	ended.mu.Lock()
	defer ended.mu.Unlock()
	return ended.of[lease.ID]
}

// answering is a network in which all sites respond alike.
type answering http.HandlerFunc

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	a(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// rejections returns the lines of rejected.jsonl.
func rejections(t *testing.T, set Settings) (list []output.Rejection) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(set.Results.Dir, results.Rejected.Name()))
	must(t, err)
	for line := range bytes.Lines(text) {
		var r output.Rejection
		must(t, json.Unmarshal(line, &r))
		list = append(list, r)
	}
	return list
}

// must ends a test with an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newCrawl returns a crawl with a frontier and nothing else that has to be opened.
func newCrawl(f frontier.Frontier, kind scope.Kind) *Crawl {
	log := slog.New(slog.DiscardHandler)
	c := New(nil, new(counts), visit.Parts{Parts: discover.Parts{
		Scope: scope.New(kind, scope.Bounds{}), Frontier: f, Lifecycle: lifecycle.New(log, nil), Board: notice.New(nil), Log: log,
	}})
	c.configure(Settings{})
	c.newRecorder()
	return c
}

// A host joins once, even if several workers announce it.
func TestHostJoinsOnce(t *testing.T) {
	f := &countedFrontier{Frontier: frontier.NewMemory(nil)}
	c := newCrawl(f, scope.Host)
	for range 3 {
		must(t, (handler{c}).Join("http://b.test/"))
	}
	if b, err := weburl.Parse("http://b.test/x"); err != nil || !c.parts.Scope.Holds(b) || f.asked != 1 {
		t.Errorf("the frontier was asked %d times, each of which is a round trip", f.asked)
	}
}

// A countedFrontier counts the calls of Host.
type countedFrontier struct {
	frontier.Frontier
	asked int
}

func (f *countedFrontier) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	f.asked++
	return f.Frontier.Host(ctx, h)
}

// A running worker that receives a new limit reports its pages.
func TestWorkerReportsItsPagesWhenALimitIsAnnounced(t *testing.T) {
	all := make(quota.LocalCounters)
	c := newCrawl(frontier.NewMemory(nil), scope.Host)
	c.parts.Limits = quota.NewPages(quota.Limits{Workers: 1, MaxInFlight: 1}, all)
	c.parts.Limits.Count("http://a.test", 1)
	most := 5
	if err := (handler{c}).ChangeLimits(t.Context(), &cluster.Limits{MaxPages: &most}); err != nil || all[quota.PageCounter] != 1 {
		t.Errorf("%v, %v, want that one page was taken", err, all)
	}
}

// A host that was unreachable for this process waits no longer when another process has reached
// it.
func TestRecoveredByOthers(t *testing.T) {
	const origin = robotsext.Origin("http://a.test")
	f := frontier.NewMemory(nil)
	c := newCrawl(f, scope.Any)
	paced := func(want bool) {
		t.Helper()
		if got, err := c.hasPacedURL(time.Minute); err != nil || got != want {
			t.Errorf("a URL is worth waiting for: %v, %v, want %v", got, err, want)
		}
	}
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://a.test/1"}}); err != nil {
		t.Fatal(err)
	}
	must(t, c.parts.Results.Deferred.Add(origin, output.Rejection{Reason: output.RobotsUnreachable}, time.Time{}))
	stores := func(rec *robotsext.Record) {
		t.Helper()
		rec.Origin, rec.FetchedAt, rec.ExpiresAt = origin, time.Now(), time.Now().Add(24*time.Hour)
		must(t, (robotsCache{c}).Store(t.Context(), rec))
	}
	stores(&robotsext.Record{Outcome: robotsext.OutcomeUnreachable, Status: 500, FailingSince: time.Now(), RetryAt: time.Now().Add(time.Hour)})
	paced(false)
	stores(&robotsext.Record{Outcome: robotsext.OutcomeAllowAll, Status: http.StatusNotFound})
	paced(true)
	if hosts, _ := c.parts.Results.Deferred.All(); len(hosts) > 0 {
		t.Errorf("%v wait", hosts)
	}
}

// A robots.txt that arrives after the end of the crawl is not recorded, since the files are
// closed.
func TestRobotsAfterTheEnd(t *testing.T) {
	c := newCrawl(frontier.NewMemory(nil), scope.Host)
	c.parts.Lifecycle.Close()
	c.slots = politeness.NewSlots(nil, nil, nil, 0)
	c.onRobots(&robotsext.Record{Origin: "http://a.test", Outcome: robotsext.OutcomeAllowAll})
	if n := c.tally.(*counts).robots; n != 0 {
		t.Errorf("%d robots.txt files are counted", n)
	}
}

// A log may ask for the state of the crawl while it is paused and resumed.
func TestLogMayAskWhetherThereIsAPause(t *testing.T) {
	var c *Crawl
	var got []bool
	log := slog.New(asking{slog.DiscardHandler, func() { got = append(got, c.Paused()) }})
	c = New(unchanged{}, new(counts), visit.Parts{Parts: discover.Parts{Log: log}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Pause()
		c.Pause() // has no effect
		c.Unpause()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the log waits for the pause")
	}
	if !slices.Equal(got, []bool{true, false}) {
		t.Errorf("paused when it is logged: %v", got)
	}
}

// asking is a log handler that calls a function for each message.
type asking struct {
	slog.Handler
	ask func()
}

func (asking) Enabled(context.Context, slog.Level) bool { return true }

func (a asking) Handle(context.Context, slog.Record) error {
	a.ask()
	return nil
}
