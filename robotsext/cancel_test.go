package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
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
		h.wantAsked(0)
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

// A program may derive a context from the one that Attach gives. Its end is the end of the
// collector's requests too, of the wait for robots.txt, and of colly's own question.
func TestDerivedContextEndsRequests(t *testing.T) {
	ended := errors.New("ended")
	const longest = 8 * time.Second // than which nobody waits longer here
	for name, test := range map[string]struct {
		robots  http.HandlerFunc
		method  string
		path    string        // of the request in flight when the context ends
		timeout time.Duration // of the page
	}{
		"page":                 {text(private), "GET", "/a", longest},
		"page without timeout": {text(private), "GET", "/a", 0},
		"robots.txt for GET":   {func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }, "GET", "/robots.txt", longest},
		"robots.txt for HEAD":  {func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }, "HEAD", "/robots.txt", longest},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, test.robots)
			s.hang.Store(true)
			t.Cleanup(s.CloseClientConnections) // of what outlives its context
			c := colly.NewCollector(newRobots(t, &robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: 5 * time.Second}}).Attach)
			c.SetRequestTimeout(test.timeout)
			ctx, cancel := context.WithCancelCause(c.Context)
			c.Context = ctx
			done := make(chan error, 1)
			go func() { done <- action{test.method, s.URL + "/a"}.do(c) }()
			for !slices.ContainsFunc(s.asked(), func(line string) bool { return strings.HasSuffix(line, test.path) }) {
				select {
				case err := <-done:
					t.Fatalf("not sent: %v", err)
				case <-time.After(time.Millisecond):
				}
			}
			cancel(ended)
			select {
			case err := <-done:
				if !errors.Is(err, ended) && !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			case <-time.After(3 * time.Second):
				t.Fatal("the request outlives its context")
			}
			other := newSite(t, text(private))
			for _, method := range []string{"GET", "HEAD"} {
				if err := (action{method, other.URL + "/b"}).do(c); !errors.Is(err, ended) {
					t.Errorf("%s: error %v, want %v", method, err, ended)
				}
			}
			other.wantAsked(t)
		})
	}
}
