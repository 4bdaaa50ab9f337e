package robotsext_test

import (
	"context"
	"errors"
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
		h := newHost(t, robotsext.Options{}, robotsReply)
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

// The end of a context ends the collector's request in flight, the wait for robots.txt, and
// colly's own question, and no request follows. The context is the collector's own before
// Attach, or one that a program derives from what Attach gives.
func TestContextEndsRequests(t *testing.T) {
	ended := errors.New("ended")
	for name, test := range map[string]struct {
		derived bool
		hangs   string // what is not answered
		method  string
		timeout time.Duration // of the page
	}{
		"own context":          {false, "/a", "GET", time.Minute},
		"page":                 {true, "/a", "GET", time.Minute},
		"page without timeout": {true, "/a", "GET", 0},
		"robots.txt for GET":   {true, "/robots.txt", "GET", time.Minute},
		"robots.txt for HEAD":  {true, "/robots.txt", "HEAD", time.Minute},
	} {
		onWeb(t, name, map[string][]reply{test.hangs: {{hang: true}}}, func(t *testing.T, w *web) {
			c := colly.NewCollector()
			attach := w.robots(robotsext.Options{}).Attach
			if test.derived {
				attach(c)
			}
			ctx, cancel := context.WithCancelCause(c.Context)
			c.Context = ctx
			if !test.derived {
				attach(c)
			}
			c.SetRequestTimeout(test.timeout)
			done := make(chan error)
			go func() { done <- action{test.method, siteA + "/a"}.do(c) }()
			time.Sleep(5 * time.Second)
			sent := w.count(test.hangs)
			cancel(ended)
			if err := <-done; sent != 1 || !errors.Is(err, ended) && !errors.Is(err, context.Canceled) {
				t.Errorf("sent %d times, error %v", sent, err)
			}
			w.after(5*time.Second, 5*time.Second)
			for _, method := range []string{"GET", "HEAD"} {
				if err := (action{method, "http://b.example/b"}).do(c); !errors.Is(err, ended) {
					t.Errorf("%s: error %v, want %v", method, err, ended)
				}
			}
			if slices.ContainsFunc(w.sent, func(line string) bool { return strings.Contains(line, "b.example") }) {
				t.Errorf("sent %q", w.sent)
			}
			time.Sleep(time.Minute) // robots.txt is fetched for others too, until its own timeout
		})
	}
}
