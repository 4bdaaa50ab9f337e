package robotsext_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
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
	for name, options := range map[string][]colly.CollectorOption{"environment": nil, "CheckHead": {colly.CheckHead()}} {
		onWeb(t, name, map[string][]reply{"/robots.txt": {{status: 503}, robotsReply}, "/a": ok("")}, func(t *testing.T, w *web) {
			if name == "environment" {
				t.Setenv("COLLY_IGNORE_ROBOTSTXT", "yes") // read after all options
			}
			c := colly.NewCollector(append(options, w.robots(robotsext.Options{}).Attach)...)
			requested := 0
			c.OnRequest(func(*colly.Request) { requested++ })
			var refused *colly.Request
			c.OnError(func(resp *colly.Response, _ error) { refused = resp.Request })
			blocked := wantLater(t, c.Visit(siteA+"/a"))
			w.wantSent("0 /robots.txt")
			if requested == 0 || refused == nil {
				t.Fatal("OnRequest and OnError were not called, though the documentation says so")
			}
			time.Sleep(time.Until(blocked.RetryAt))
			wantOK(t, refused.Retry())
			if w.count("/a") == 0 {
				t.Errorf("sent %q", w.sent)
			}
		})
	}
	onWeb(t, "record expired", map[string][]reply{"/robots.txt": {robotsReply, {status: 503}}, "/a": ok("")}, func(t *testing.T, w *web) {
		c := colly.NewCollector(w.robots(robotsext.Options{}).Attach)
		wantOK(t, c.Visit(siteA+"/a"))
		time.Sleep(25 * time.Hour)
		wantLater(t, c.Visit(siteA+"/b"))
		if visited, _ := c.HasVisited(siteA + "/b"); !visited {
			t.Error("not marked as visited, though the documentation says so")
		}
		w.wantSent("0 /robots.txt", "1 /a", "90002 /robots.txt")
	})
}

// colly's queue keeps no error of Visit.
func TestQueueLater(t *testing.T) {
	for _, report := range []bool{false, true} {
		answers := map[string][]reply{"/robots.txt": {{status: 500}, {status: 500}, robotsReply}, "/a": ok(""), "/b": ok(""), "/c": ok("")}
		onWeb(t, fmt.Sprintf("ReportInOnError %v", report), answers, func(t *testing.T, w *web) {
			var log syncBuffer
			c := colly.NewCollector(w.robots(robotsext.Options{ReportInOnError: report, Logger: slog.New(slog.NewTextHandler(&log, nil))}).Attach)
			var mu sync.Mutex
			var refused []*colly.Request
			c.OnError(func(resp *colly.Response, err error) {
				if b := wantLater(t, err); b.URL != resp.Request.URL.String() {
					t.Errorf("error %v, want later with the URL %s", err, resp.Request.URL)
				}
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, resp.Request)
			})
			queued(t, c, action{"GET", siteA + "/a"}, action{"GET", siteA + "/b"})
			time.Sleep(time.Minute)
			queued(t, c, action{"GET", siteA + "/c"})
			wantLogged(t, &log, "level=WARN", 2) // one for each record
			wantLogged(t, &log, `origin=http://a.example next=2000-01-01T00:01:01.000Z error="status 500"`, 1)
			if want := map[bool]int{true: 3}[report]; len(refused) != want || len(w.sent) != 2 {
				t.Fatalf("OnError received %d URLs, want %d; sent %q", len(refused), want, w.sent)
			}
			time.Sleep(time.Hour)
			for _, req := range refused {
				wantOK(t, req.Retry())
			}
			if report && w.count("/a")+w.count("/b")+w.count("/c") != 3 {
				t.Errorf("after Retry was sent %q", w.sent)
			}
		})
	}
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
	for name, ask := range map[string]func(t *testing.T, r *robotsext.Robots, c *colly.Collector) error{
		"HEAD": func(_ *testing.T, _ *robotsext.Robots, c *colly.Collector) error { return c.Head(siteA + "/a") },
		"redirect": func(_ *testing.T, _ *robotsext.Robots, c *colly.Collector) error {
			return c.Visit("http://b.example/to")
		},
		"CheckHead": func(_ *testing.T, _ *robotsext.Robots, c *colly.Collector) error {
			c.CheckHead = true
			return c.Visit(siteA + "/a")
		},
		"http.Client": func(t *testing.T, r *robotsext.Robots, _ *colly.Collector) error {
			_, err := do(&http.Client{Transport: r.Transport(nil), Timeout: 5 * time.Second}, newRequest(t, "GET", siteA+"/a", ""))
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
			err := ask(t, r, c)
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
