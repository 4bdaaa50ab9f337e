package robotsext_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"
)

// A collector that loses both the context and the transport that Attach gave it
// sends no disallowed page, whichever went first. Beyond reach is only a clone that
// has neither the seal nor callbacks, on a host of which colly remembers "no rules":
// the comment of Attach says so.
func TestContextAndClientReplaced(t *testing.T) {
	const beyond = true
	for steps, sent := range map[string]bool{
		"context, client":                       false,
		"client, context":                       false,
		"context, visit, client":                false,
		"context, head, client":                 false,
		"client, visit, context":                false,
		"context, client, visit":                false,
		"head, context, client":                 false,
		"context, clone, visit, client":         beyond,
		"context, visit, clone, client":         beyond,
		"clone, context, client":                false,
		"visit, context":                        false,
		"visit, client":                         false,
		"visit, clone, client":                  false,
		"visit, clone, context":                 false,
		"visit, context, client":                false,
		"visit, client, context":                false,
		"clone, context, visit, client":         beyond,
		"visit, derived context, client":        false,
		"visit, derived context, clone, client": beyond,
	} {
		for how, drive := range map[string]drive{"sync": direct, "async": asynchronous, "queue": queued} {
			t.Run(steps+"/"+how, func(t *testing.T) {
				s, c := newAttached(t)
				c.Async = how == "async"
				for step := range strings.SplitSeq(steps, ", ") {
					c = replace(t, c, step, s.URL+"/ok")
				}
				_ = drive(t, c, action{"GET", s.URL + "/private/a"})
				if got := s.count("GET /private/a") != 0; got != sent {
					t.Errorf("disallowed page sent: %t, want %t; the site was asked %q", got, sent, s.asked())
				}
			})
		}
	}
}

// replace takes one step of TestContextAndClientReplaced.
func replace(t *testing.T, c *colly.Collector, step, page string) *colly.Collector {
	t.Helper()
	switch step {
	case "context":
		c.Context = context.Background()
	case "derived context":
		ctx, cancel := context.WithCancel(c.Context)
		t.Cleanup(cancel)
		c.Context = ctx
	case "client":
		transport := &http.Transport{DisableKeepAlives: true}
		t.Cleanup(transport.CloseIdleConnections)
		c.SetClient(&http.Client{Transport: transport})
	case "visit":
		_ = c.Visit(page)
		c.Wait()
	case "head":
		_ = c.Head(page)
		c.Wait()
	case "clone":
		return c.Clone()
	default:
		t.Fatalf("unknown step %q", step)
	}
	return c
}
