package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// When the collector's context is over, not even what needs no check is given to
// a transport.
func TestNothingSentAfterTheEnd(t *testing.T) {
	for name, mark := range map[string]func(context.Context) context.Context{
		"/robots.txt": func(ctx context.Context) context.Context { return ctx },
		"/a":          robotsext.WithUserFetch,
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				sent = append(sent, req.Method+" "+req.URL.Path)
				return reply{status: 200}.RoundTrip(req)
			})})
			stop := errors.New("enough")
			ctx, cancel := context.WithCancelCause(mark(t.Context()))
			c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
			cancel(stop)
			body := &watchedBody{Reader: strings.NewReader("x")}
			// HEAD, which colly asks no question before.
			if err := c.Request("HEAD", "http://example.com"+name, body, nil, nil); !errors.Is(err, stop) {
				t.Errorf("error %v, want %v", err, stop)
			}
			if !body.closed {
				t.Error("the body was left open")
			}
			if len(sent) != 0 {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

// A collector that loses both the context and the transport that Attach gave it
// sends no disallowed page, whichever went first. Beyond reach is only a clone that
// has neither the seal nor callbacks, on a host of which colly remembers "no rules":
// the comment of Attach says so.
func TestContextAndClientReplaced(t *testing.T) {
	type step struct {
		name string
		do   func(t *testing.T, s *site, c *colly.Collector) *colly.Collector
	}
	var (
		setContext = step{"context", func(_ *testing.T, _ *site, c *colly.Collector) *colly.Collector {
			c.Context = context.Background()
			return c
		}}
		deriveContext = step{"derived context", func(t *testing.T, _ *site, c *colly.Collector) *colly.Collector {
			ctx, cancel := context.WithCancel(c.Context)
			t.Cleanup(cancel)
			c.Context = ctx
			return c
		}}
		replaceClient = step{"client", func(t *testing.T, _ *site, c *colly.Collector) *colly.Collector {
			transport := &http.Transport{DisableKeepAlives: true}
			t.Cleanup(transport.CloseIdleConnections)
			c.SetClient(&http.Client{Transport: transport})
			return c
		}}
		visit = step{"visit", func(_ *testing.T, s *site, c *colly.Collector) *colly.Collector {
			_ = c.Visit(s.URL + "/ok")
			c.Wait()
			return c
		}}
		head = step{"head", func(_ *testing.T, s *site, c *colly.Collector) *colly.Collector {
			_ = c.Head(s.URL + "/ok")
			c.Wait()
			return c
		}}
		clone = step{"clone", func(_ *testing.T, _ *site, c *colly.Collector) *colly.Collector { return c.Clone() }}
	)
	beyond := true
	tests := []struct {
		steps []step
		sent  bool
	}{
		{steps: []step{setContext, replaceClient}},
		{steps: []step{replaceClient, setContext}},
		{steps: []step{setContext, visit, replaceClient}},
		{steps: []step{setContext, head, replaceClient}},
		{steps: []step{replaceClient, visit, setContext}},
		{steps: []step{setContext, replaceClient, visit}},
		{steps: []step{head, setContext, replaceClient}},
		{[]step{setContext, clone, visit, replaceClient}, beyond},
		{[]step{setContext, visit, clone, replaceClient}, beyond},
		{steps: []step{clone, setContext, replaceClient}},
		{steps: []step{visit, setContext}},
		{steps: []step{visit, replaceClient}},
		{steps: []step{visit, clone, replaceClient}},
		{steps: []step{visit, clone, setContext}},
		{steps: []step{visit, setContext, replaceClient}},
		{steps: []step{visit, replaceClient, setContext}},
		{[]step{clone, setContext, visit, replaceClient}, beyond},
		{steps: []step{visit, deriveContext, replaceClient}},
		{[]step{visit, deriveContext, clone, replaceClient}, beyond},
	}
	ways := map[string]drive{"sync": direct, "async": asynchronous, "queue": queued}
	for _, test := range tests {
		for how, drive := range ways {
			var names []string
			for _, step := range test.steps {
				names = append(names, step.name)
			}
			t.Run(strings.Join(names, ", ")+"/"+how, func(t *testing.T) {
				s := newSite(t, text(private))
				c := colly.NewCollector(newRobots(t, nil).Attach)
				c.Async = how == "async"
				for _, step := range test.steps {
					c = step.do(t, s, c)
				}
				_ = drive(t, c, action{"GET", s.URL + "/private/a"})
				if sent := s.count("GET /private/a") != 0; sent != test.sent {
					t.Errorf("disallowed page sent: %t, want %t; the site was asked %q", sent, test.sent, s.asked())
				}
			})
		}
	}
}
