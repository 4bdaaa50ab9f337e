package run

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// counts is a Tally.
type counts struct{ robots int }

func (*counts) Add(*output.Page, *output.Results) {}
func (c *counts) AddRobots()                      { c.robots++ }
func (*counts) AddListed(*results.Listed)         {}
func (*counts) Progress() (int, int64)            { return 0, 0 }

// newCrawl returns a crawl with a frontier and nothing else that has to be opened.
func newCrawl(f frontier.Frontier, kind scope.Kind) *Crawl {
	log := slog.New(slog.DiscardHandler)
	c := New(Program{
		Scope: scope.New(kind, scope.Bounds{}), Frontier: f, Tally: new(counts), Lifecycle: lifecycle.New(log, nil), Board: notice.New(nil), Log: log,
	})
	c.configure(Settings{})
	c.newRecorder()
	return c
}

// A host joins once, even if several workers announce it.
func TestHostJoinsOnce(t *testing.T) {
	f := &countedFrontier{Frontier: frontier.NewMemory(nil)}
	c := newCrawl(f, scope.Host)
	for range 3 {
		if err := (handler{c}).Join("http://b.test/"); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := weburl.Parse("http://b.test/x"); err != nil || !c.Scope.Holds(b) || f.asked != 1 {
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
	c.Limits = quota.NewPages(quota.Limits{Workers: 1, MaxInFlight: 1}, all)
	c.Limits.Count("http://a.test", 1)
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
	if err := c.Results.Deferred.Add(origin, output.Rejection{Reason: output.RobotsUnreachable}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	stores := func(rec *robotsext.Record) {
		t.Helper()
		rec.Origin, rec.FetchedAt, rec.ExpiresAt = origin, time.Now(), time.Now().Add(24*time.Hour)
		if err := (&robotsCache{frontier: f, lifecycle: c.Lifecycle}).Store(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
	}
	stores(&robotsext.Record{Outcome: robotsext.OutcomeUnreachable, Status: 500, FailingSince: time.Now(), RetryAt: time.Now().Add(time.Hour)})
	paced(false)
	stores(&robotsext.Record{Outcome: robotsext.OutcomeAllowAll, Status: http.StatusNotFound})
	paced(true)
	if hosts, _ := c.Results.Deferred.All(); len(hosts) > 0 {
		t.Errorf("%v wait", hosts)
	}
}

// A robots.txt that arrives after the end of the crawl is not recorded, since the files are
// closed.
func TestRobotsAfterTheEnd(t *testing.T) {
	c := newCrawl(frontier.NewMemory(nil), scope.Host)
	c.Lifecycle.Close()
	c.slots = politeness.NewSlots(nil, nil, nil, 0)
	c.onRobots(&robotsext.Record{Origin: "http://a.test", Outcome: robotsext.OutcomeAllowAll})
	if n := c.Tally.(*counts).robots; n != 0 {
		t.Errorf("%d robots.txt files are counted", n)
	}
}
