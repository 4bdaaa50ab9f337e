package robotsext_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Who has left already has nothing fetched.
func TestEndedContextStartsNothing(t *testing.T) {
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ended)
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, robotsext.Options{})
		h.now = robotsReply
		u := mustParse(t, "http://example.com/a")
		if err := h.r.Check(ctx, u); !errors.Is(err, ended) {
			t.Errorf("Check: %v", err)
		}
		if _, err := h.r.Refresh(ctx, u); !errors.Is(err, ended) {
			t.Errorf("Refresh: %v", err)
		}
		c := colly.NewCollector(colly.StdlibContext(ctx), h.r.Attach)
		if err := c.Visit(u.String()); !errors.Is(err, ended) {
			t.Errorf("Visit: %v", err)
		}
		synctest.Wait()
		if len(h.asked) != 0 {
			t.Errorf("asked %d times", len(h.asked))
		}
	})
}

// The seal passes on the end of the collector's own context, which nothing else
// does.
func TestCollectorEndsItsPage(t *testing.T) {
	s := newSite(t, text(private))
	s.hang.Store(true)
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := colly.NewCollector(colly.StdlibContext(ctx), newRobots(t, nil).Attach)
	c.SetRequestTimeout(8 * time.Second) // longer than anybody waits here
	done := make(chan error, 1)
	go func() { done <- c.Visit(s.URL + "/a") }()
	for s.count("GET /a") == 0 {
		select {
		case err := <-done:
			t.Fatalf("not sent: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel(ended)
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(3 * time.Second):
		t.Fatal("the page outlives the context of its collector")
	}
}
