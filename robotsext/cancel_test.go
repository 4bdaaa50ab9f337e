package robotsext_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Who has left already has nothing fetched, not even what needs no check.
func TestEndedContextStartsNothing(t *testing.T) {
	ended := errors.New("ended")
	head := func(path string) func(context.Context, *robotsext.Robots, *colly.Collector, io.Reader) error {
		return func(_ context.Context, _ *robotsext.Robots, c *colly.Collector, body io.Reader) error {
			return c.Request("HEAD", siteA+path, body, nil, nil) // colly asks no question before
		}
	}
	for name, request := range map[string]func(context.Context, *robotsext.Robots, *colly.Collector, io.Reader) error{
		"Check": func(ctx context.Context, r *robotsext.Robots, _ *colly.Collector, _ io.Reader) error {
			return r.Check(ctx, rootA)
		},
		"Refresh": func(ctx context.Context, r *robotsext.Robots, _ *colly.Collector, _ io.Reader) error {
			_, err := r.Refresh(ctx, rootA)
			return err
		},
		"Visit": func(_ context.Context, _ *robotsext.Robots, c *colly.Collector, _ io.Reader) error {
			return c.Visit(siteA + "/a")
		},
		"robots.txt": head("/robots.txt"),
		"user fetch": head("/a"),
	} {
		onWeb(t, name, nil, func(t *testing.T, w *web) {
			ctx, cancel := context.WithCancelCause(t.Context())
			if name == "user fetch" {
				ctx = robotsext.WithUserFetch(ctx)
			}
			r := w.robots(robotsext.Options{})
			c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
			cancel(ended)
			body := &watchedBody{Reader: strings.NewReader("x")}
			if err := request(ctx, r, c, body); !errors.Is(err, ended) {
				t.Errorf("error %v", err)
			}
			if synctest.Wait(); len(w.sent) != 0 || name == "user fetch" && !body.closed {
				t.Errorf("sent %q, body closed %v", w.sent, body.closed)
			}
		})
	}
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
