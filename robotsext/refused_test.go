package robotsext_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
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
			wantOK(t, refused.Retry())
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
		wantOK(t, c.Visit(s.URL+"/a"))
		down = true
		clock.advance(25 * time.Hour)
		wantLater(t, c.Visit(s.URL+"/b"))
		if visited, _ := c.HasVisited(s.URL + "/b"); !visited {
			t.Error("not marked as visited, though the documentation says so")
		}
		s.wantAsked(t, robotsLine, "GET /a", robotsLine)
	})
}

// colly's queue keeps no error of Visit.
func TestQueueLater(t *testing.T) {
	run := func(t *testing.T, opts robotsext.Options) (s *site, refused []*colly.Request, warnings string) {
		down := true
		s = newSite(t, func(w http.ResponseWriter, req *http.Request) {
			if down {
				status(500)(w, req)
				return
			}
			text(private)(w, req)
		})
		var log syncBuffer
		clock := newClock()
		opts.Now, opts.Logger = clock.now, slog.New(slog.NewTextHandler(&log, nil))
		c := colly.NewCollector(newRobots(t, &opts).Attach)
		var mu sync.Mutex
		c.OnError(func(resp *colly.Response, err error) {
			if b, ok := errors.AsType[*robotsext.BlockedError](err); !ok || b.Reason != robotsext.Later || b.URL != resp.Request.URL.String() {
				t.Errorf("error %v, want later with the URL %s", err, resp.Request.URL)
			}
			mu.Lock()
			defer mu.Unlock()
			refused = append(refused, resp.Request)
		})
		queued(t, c, action{"GET", s.URL + "/a"}, action{"GET", s.URL + "/b"})
		clock.advance(time.Minute)
		queued(t, c, action{"GET", s.URL + "/c"})
		down = false
		clock.advance(time.Hour)
		return s, refused, log.String()
	}
	t.Run("warning for each record", func(t *testing.T) {
		s, refused, warnings := run(t, robotsext.Options{})
		if n := strings.Count(warnings, "level=WARN"); n != 2 || len(refused) != 0 ||
			!strings.Contains(warnings, "origin="+s.URL) || !strings.Contains(warnings, "next=2026-10-01T12:01:00") || !strings.Contains(warnings, "status 500") {
			t.Errorf("%d warnings, %d calls of OnError, want 2 and 0: %s", n, len(refused), warnings)
		}
	})
	t.Run("ReportInOnError", func(t *testing.T) {
		s, refused, warnings := run(t, robotsext.Options{ReportInOnError: true})
		if n := strings.Count(warnings, "level=WARN"); n != 2 {
			t.Errorf("%d warnings, want one for each record: %s", n, warnings)
		}
		s.wantPages(t)
		for _, req := range refused {
			wantOK(t, req.Retry())
		}
		if want := []string{"GET /a", "GET /b", "GET /c"}; !slices.Equal(s.pages(), want) {
			t.Errorf("after Retry the site was asked %q, want %q", s.pages(), want)
		}
	})
}

// What is made for a person is not asked about, whatever the host.
func TestUserFetchByCollector(t *testing.T) {
	for name, robots := range map[string]http.HandlerFunc{"disallowed": text(private), "unreachable": status(500)} {
		t.Run("ROB-GEN-03/"+name, func(t *testing.T) {
			s := newSite(t, robots)
			ctx := robotsext.WithUserFetch(t.Context())
			c := colly.NewCollector(colly.StdlibContext(ctx), newRobots(t, nil).Attach)
			wantOK(t, errors.Join(c.Visit(s.URL+"/private"), c.Head(s.URL+"/private")))
			s.wantAsked(t, "GET /private", "HEAD /private")
		})
	}
}

// Where colly does not ask first, the page's timeout limits the wait for robots.txt, and the
// fetch of it goes on.
func TestPageTimeoutLimitsTheWait(t *testing.T) {
	for name, ask := range map[string]func(r *robotsext.Robots, c *colly.Collector) error{
		"HEAD":      func(_ *robotsext.Robots, c *colly.Collector) error { return c.Head(siteA + "/a") },
		"redirect":  func(_ *robotsext.Robots, c *colly.Collector) error { return c.Visit("http://b.example/to") },
		"CheckHead": func(_ *robotsext.Robots, c *colly.Collector) error { c.CheckHead = true; return c.Visit(siteA + "/a") },
		"http.Client": func(r *robotsext.Robots, _ *colly.Collector) error {
			resp, err := (&http.Client{Transport: r.Transport(nil), Timeout: 5 * time.Second}).Get(siteA + "/a")
			if err == nil {
				resp.Body.Close()
			}
			return err
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			asked := 0
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				switch req.URL.String() {
				case "http://b.example/to":
					return redirect(siteA + "/a").RoundTrip(req)
				case siteA + "/robots.txt":
					asked++
					time.Sleep(10 * time.Second)
					return robotsReply.RoundTrip(req)
				}
				return reply{status: 404}.RoundTrip(req)
			})})
			c := colly.NewCollector(r.Attach)
			c.SetRequestTimeout(5 * time.Second)
			start := time.Now()
			err := ask(r, c)
			if took := time.Since(start); took != 5*time.Second {
				t.Errorf("took %s", took)
			}
			if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() || errors.Is(err, colly.ErrRobotsTxtBlocked) {
				t.Errorf("error %v, want the page's timeout", err)
			}
			wantDisallowed(t, r.Check(t.Context(), mustParse(t, siteA+"/private")), 2)
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// TestLimitsOfAttach shows requests and callbacks that Attach cannot control.
func TestLimitsOfAttach(t *testing.T) {
	t.Run("CacheDir", func(t *testing.T) {
		rules := ""
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) { text(rules)(w, req) })
		clock := newClock()
		r := newRobots(t, &robotsext.Options{Now: clock.now})
		dir := t.TempDir()
		visit := func() error {
			return colly.NewCollector(r.Attach, colly.CacheDir(dir)).Visit(s.URL + "/private")
		}
		wantOK(t, visit())
		rules = private
		clock.advance(25 * time.Hour)
		if err := visit(); err != nil {
			t.Errorf("a page from the cache was refused: %v", err)
		}
		if n := s.count("GET /private"); n != 1 {
			t.Errorf("the page was requested %d times", n)
		}
	})
	t.Run("visited mark and OnRequest", func(t *testing.T) {
		s, c := newAttached(t)
		called := false
		c.OnRequest(func(*colly.Request) { called = true })
		err := c.Visit(s.URL + "/private")
		wantDisallowed(t, err, 2)
		if visited, _ := c.HasVisited(s.URL + "/private"); !visited || !called || err == colly.ErrRobotsTxtBlocked { //nolint:errorlint // == is what is shown not to hold
			t.Error("refused before OnRequest, or by the bare error: say so in the documentation")
		}
	})
}

// Of ever more origins that are unreachable not all are remembered that were warned of:
// after ten thousand others one is warned of again.
func TestWarningsAreForgotten(t *testing.T) {
	if testing.Short() {
		t.Skip("it visits 10,000 hosts")
	}
	var log syncBuffer
	r := newRobots(t, &robotsext.Options{
		Logger:    slog.New(slog.NewTextHandler(&log, nil)),
		Transport: roundTripper(func(req *http.Request) (*http.Response, error) { return reply{status: 500}.RoundTrip(req) }),
	})
	c := colly.NewCollector(r.Attach)
	const first = "http://first.example/"
	wantLater(t, c.Visit(first))
	for i := range 10_000 {
		wantLater(t, c.Visit(fmt.Sprintf("http://h%d.example/", i)))
	}
	wantLater(t, c.Visit(first))
	if n := strings.Count(log.String(), "origin=http://first.example "); n != 2 {
		t.Errorf("%d warnings of the first, want 2", n)
	}
}
