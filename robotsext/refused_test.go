package robotsext_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Where colly does not ask about robots.txt, the gate refuses the request itself:
// OnRequest has run, the URL is marked, and Request.Retry is the way on.
func TestRefusedByGateOnly(t *testing.T) {
	down := true
	robots := func(w http.ResponseWriter, req *http.Request) {
		if down {
			status(503)(w, req)
			return
		}
		text(private)(w, req)
	}
	prepare := map[string]func(t *testing.T) []colly.CollectorOption{
		"environment": func(t *testing.T) []colly.CollectorOption {
			t.Setenv("COLLY_IGNORE_ROBOTSTXT", "yes") // read after all options
			return nil
		},
		"CheckHead": func(*testing.T) []colly.CollectorOption {
			return []colly.CollectorOption{colly.CheckHead()}
		},
	}
	for name, options := range prepare {
		t.Run(name, func(t *testing.T) {
			down = true
			s := newSite(t, robots)
			clock := newClock()
			r := newRobots(t, &robotsext.Options{Now: clock.now})
			c := colly.NewCollector(append(options(t), r.Attach)...)
			requested := 0
			c.OnRequest(func(*colly.Request) { requested++ })
			var refused *colly.Request
			c.OnError(func(resp *colly.Response, _ error) { refused = resp.Request })
			blocked := wantLater(t, c.Visit(s.URL+"/a"))
			if pages := s.pages(); len(pages) != 0 {
				t.Fatalf("pages sent: %q", pages)
			}
			if requested == 0 || refused == nil {
				t.Error("OnRequest and OnError were not called, though the documentation says so")
			}
			down = false
			clock.set(blocked.RetryAt)
			if err := refused.Retry(); err != nil {
				t.Error(err)
			}
			if len(s.pages()) != 1 {
				t.Errorf("site was asked %q", s.asked())
			}
		})
	}
	t.Run("record expired", func(t *testing.T) {
		down = false
		s := newSite(t, robots)
		clock := newClock()
		c := colly.NewCollector(newRobots(t, &robotsext.Options{Now: clock.now}).Attach)
		if err := c.Visit(s.URL + "/a"); err != nil {
			t.Fatal(err)
		}
		down = true
		clock.advance(25 * time.Hour)
		wantLater(t, c.Visit(s.URL+"/b"))
		if visited, _ := c.HasVisited(s.URL + "/b"); !visited {
			t.Error("not marked as visited, though the documentation says so")
		}
		s.wantAsked(t, robotsLine, "GET /a", robotsLine)
	})
}
