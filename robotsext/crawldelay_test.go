package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// paced runs a subtest with a collector that obeys the Crawl-delay of robots, up to longest, in a bubble of
// fake time. It compares when requests were sent, in seconds since the start.
type paced struct {
	name    string
	robots  string
	longest time.Duration
	options []colly.CollectorOption
	visits  []string // by the collector
	do      func(t *testing.T, r *robotsext.Robots, c *colly.Collector)
	sent    []string
}

func (test paced) run(t *testing.T) {
	t.Helper()
	inBubble(t, test.name, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		start := time.Now()
		r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			log = append(log, fmt.Sprintf("%.0f %s", time.Since(start).Seconds(), req.URL.Path))
			mu.Unlock()
			switch req.URL.Path {
			case "/robots.txt":
				return reply{status: 200, body: lines(test.robots)}.RoundTrip(req)
			case "/slow":
				time.Sleep(3 * time.Second)
			case "/gone":
				return reply{status: 404}.RoundTrip(req)
			}
			if status, err := strconv.Atoi(req.URL.Query().Get("status")); err == nil {
				return reply{status: status, header: http.Header{"Retry-After": {"120"}}}.RoundTrip(req)
			}
			return reply{status: 200, body: "a page"}.RoundTrip(req)
		})})
		c := colly.NewCollector(append(test.options, r.Attach)...)
		r.ObeyCrawlDelay(c, test.longest)
		for _, u := range test.visits {
			_ = c.Visit(u)
		}
		if test.do != nil {
			test.do(t, r, c)
		}
		c.Wait()
		if !slices.Equal(log, test.sent) {
			t.Errorf("sent %q, want %q", log, test.sent)
		}
	})
}

func TestObeyCrawlDelay(t *testing.T) {
	const asks5 = "User-agent: testbot⏎Crawl-delay: 5⏎Disallow: /private⏎User-agent: *⏎Crawl-delay: 20"
	const site, tls = "http://example.com", "https://example.com"
	async := []colly.CollectorOption{colly.Async(), colly.AllowURLRevisit()}
	tests := []paced{
		{name: "ROB-POL-02/ROB-FET-19", robots: asks5, visits: []string{site + "/a", site + "/private", site + "/b"}, sent: []string{"0 /robots.txt", "5 /a", "10 /b"}},
		{name: "ROB-POL-02/from the end of a request", robots: asks5, visits: []string{site + "/slow", site + "/a"}, sent: []string{"0 /robots.txt", "5 /slow", "13 /a"}},
		{
			name: "ROB-POL-01/one server", robots: asks5,
			visits: []string{site + "/a", tls + "/b", "http://example.com./c", "http://example.com:443/d", "http://example.com:8080/e"},
			sent:   []string{"0 /robots.txt", "5 /a", "10 /robots.txt", "15 /b", "20 /robots.txt", "25 /c", "30 /robots.txt", "35 /d", "35 /robots.txt", "40 /e"},
		},
		{
			name: "ROB-POL-04/of one server", robots: private, visits: []string{site + "/a", tls + "/b", site + "/busy?status=503", tls + "/c"},
			sent: []string{"0 /robots.txt", "0 /a", "0 /robots.txt", "0 /b", "0 /busy", "120 /c"},
		},
		{name: "ROB-POL-06", robots: asks5, visits: []string{site + "/gone", site + "/a"}, sent: []string{"0 /robots.txt", "5 /gone", "10 /a"}},
		{name: "ROB-EXT-01/longest", robots: "User-agent: *⏎Crawl-delay: 86400", longest: 2 * time.Second, visits: []string{site + "/a", site + "/b"}, sent: []string{"0 /robots.txt", "2 /a", "4 /b"}},
		{name: "ROB-EXT-01/cap", robots: "User-agent: *⏎Crawl-delay: 86400", visits: []string{site + "/a", site + "/b"}, sent: []string{"0 /robots.txt", "30 /a", "60 /b"}},
		{name: "no delay asked", robots: private, visits: []string{site + "/a", site + "/b"}, sent: []string{"0 /robots.txt", "0 /a", "0 /b"}},
		{name: "ROB-POL-02/clone", robots: asks5, visits: []string{site + "/a"}, do: func(t *testing.T, r *robotsext.Robots, c *colly.Collector) {
			clone := c.Clone()
			r.ObeyCrawlDelay(clone, 0)
			wantOK(t, clone.Visit(site+"/b"))
		}, sent: []string{"0 /robots.txt", "5 /a", "10 /b"}},
		{name: "ROB-POL-02/asynchronous", robots: asks5, options: async, do: func(t *testing.T, _ *robotsext.Robots, c *colly.Collector) {
			for _, host := range []string{site, "http://other.example.com"} { // which is not held up
				for range 3 {
					wantOK(t, c.Visit(host+"/a"))
				}
				time.Sleep(time.Second)
			}
		}, sent: []string{"0 /robots.txt", "1 /robots.txt", "5 /a", "6 /a", "10 /a", "11 /a", "15 /a", "16 /a"}},
		{name: "ROB-POL-01/one at a time", robots: "User-agent: *⏎Crawl-delay: 1", options: async, do: func(_ *testing.T, _ *robotsext.Robots, c *colly.Collector) {
			_ = c.Visit(site + "/slow")
			synctest.Wait()
			_ = c.Visit(site + "/a")
		}, sent: []string{"0 /robots.txt", "1 /slow", "5 /a"}},
		{name: "ROB-POL-02/by a client of Transport too", robots: asks5, do: func(t *testing.T, r *robotsext.Robots, c *colly.Collector) {
			left, err := (&http.Client{Transport: r.Transport(nil)}).Get(site + "/left-open")
			wantOK(t, err)
			_ = c.Visit(site + "/a") // waits for Timeout, not longer
			left.Body.Close()
			left.Body.Close()
			_ = c.Visit(site + "/b")
		}, sent: []string{"0 /robots.txt", "0 /left-open", "30 /a", "35 /b"}},
		{name: "ROB-POL-02/a turn that is not used", robots: asks5, do: func(_ *testing.T, _ *robotsext.Robots, c *colly.Collector) {
			c.OnRequest(func(req *colly.Request) {
				if req.URL.Path == "/aborted" {
					req.Abort()
				}
			})
			_ = c.Visit(site + "/aborted")
			_ = c.Visit(site + "/a")
		}, sent: []string{"0 /robots.txt", "10 /a"}},
		{
			name: "ROB-POL-02/CacheDir", robots: asks5, options: []colly.CollectorOption{colly.CacheDir(t.TempDir()), colly.AllowURLRevisit()},
			visits: []string{site + "/a", site + "/a", site + "/a", site + "/b", site + "/a"},
			do:     func(t *testing.T, _ *robotsext.Robots, c *colly.Collector) { wantOK(t, c.Post(site+"/a", nil)) }, // not from the cache
			sent:   []string{"0 /robots.txt", "5 /a", "10 /b", "15 /a"},
		},
		{name: "ROB-POL-02/no slot of a LimitRule while waiting", robots: asks5, options: async, do: func(t *testing.T, _ *robotsext.Robots, c *colly.Collector) {
			wantOK(t, c.Limit(&colly.LimitRule{DomainGlob: "*"}))
			for _, path := range []string{"/a", "/b"} {
				wantOK(t, c.Visit(site+path))
				time.Sleep(time.Second)
			}
			wantOK(t, c.Visit("http://other.example.com/c"))
		}, sent: []string{"0 /robots.txt", "2 /robots.txt", "5 /a", "7 /c", "10 /b"}},
		{name: "context ends", robots: asks5, do: func(t *testing.T, r *robotsext.Robots, _ *colly.Collector) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
			r.ObeyCrawlDelay(c, 0)
			if err := c.Visit(site + "/a"); err == nil {
				t.Error("no error")
			}
		}, sent: []string{"0 /robots.txt"}},
	}
	for _, status := range []int{200, 304, 403, 404, 429, 500, 503} {
		tests = append(tests, paced{
			name: fmt.Sprintf("ROB-POL-04/%d", status), robots: private, longest: 2 * time.Second,
			visits: []string{fmt.Sprintf("%s/busy?status=%d", site, status), "http://other.example.com/a", site + "/a"},
			sent:   []string{"0 /robots.txt", "0 /busy", "0 /robots.txt", "0 /a", "120 /a"},
		})
	}
	for _, test := range tests {
		test.run(t)
	}
}

// A LimitRule of colly's waits after each request, in addition to ObeyCrawlDelay.
func TestObeyCrawlDelayWithLimitRule(t *testing.T) {
	for rule, sent := range map[time.Duration][]string{
		2 * time.Second: {"0 /robots.txt", "5 /a", "10 /b", "15 /c"},
		8 * time.Second: {"0 /robots.txt", "5 /a", "13 /b", "21 /c"},
	} {
		paced{name: rule.String(), robots: "User-agent: *⏎Crawl-delay: 5", do: func(t *testing.T, _ *robotsext.Robots, c *colly.Collector) {
			wantOK(t, c.Limit(&colly.LimitRule{DomainGlob: "*", Delay: rule}))
			for _, path := range []string{"/a", "/b", "/c"} {
				wantOK(t, c.Visit("http://example.com"+path))
			}
		}, sent: sent}.run(t)
	}
}

func TestDelayTransport(t *testing.T) {
	delay5 := []reply{{status: 200, body: "User-agent: *\nCrawl-delay: 5\nDisallow: /private\n"}}
	for _, test := range []struct {
		name     string
		maxDelay time.Duration
		visits   []string
		sent     []string
	}{
		{"ROB-POL-02/pages", 0, []string{"/a", "/private", "/b"}, []string{"0 /robots.txt", "6 /a", "12 /b"}},
		{"ROB-POL-02/redirects", 0, []string{"/from", "/b"}, []string{"0 /robots.txt", "6 /from", "12 /a", "18 /b"}},
		{"ROB-POL-02/redirect to another host", 0, []string{"/away", "/b"}, []string{"0 /robots.txt", "6 /away", "7 http://b.example/robots.txt", "7 http://b.example/c", "12 /b"}},
		{"ROB-EXT-01/maxDelay", 2 * time.Second, []string{"/a", "/b"}, []string{"0 /robots.txt", "3 /a", "6 /b"}},
		{"ROB-POL-04/Retry-After", 2 * time.Second, []string{"/busy", "/b"}, []string{"0 /robots.txt", "3 /busy", "124 /b"}},
	} {
		onWeb(t, test.name, map[string][]reply{
			"/robots.txt": delay5, "/a": ok("a"), "/b": ok("b"), "/from": {redirect("/a")}, "/away": {redirect("http://b.example/c")},
			"/busy": {{status: 503, header: http.Header{"Retry-After": {"120"}}}},
		}, func(t *testing.T, w *web) {
			transport := w.robots(robotsext.Options{}).DelayTransport(nil, test.maxDelay)
			for _, path := range test.visits {
				if err := get(t, transport, siteA+path); path == "/private" {
					wantDisallowed(t, err, 3)
				} else {
					wantOK(t, err)
				}
			}
			w.wantSent(test.sent...)
		})
	}
	onWeb(t, "ROB-POL-02/shared with a collector", map[string][]reply{"/robots.txt": delay5, "/a": ok("a"), "/b": ok("b")}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		wantOK(t, get(t, r.DelayTransport(nil, 0), siteA+"/a"))
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		c.WithTransport(r.DelayTransport(nil, 0)) // which does not wait for the same request
		wantOK(t, c.Visit(siteA+"/b"))
		w.wantSent("0 /robots.txt", "6 /a", "12 /b")
	})
	onWeb(t, "timeout of the client", map[string][]reply{"/robots.txt": delay5}, func(t *testing.T, w *web) {
		client := &http.Client{Transport: w.robots(robotsext.Options{}).DelayTransport(nil, 0), Timeout: 3 * time.Second}
		_, err := do(client, newRequest(t, "GET", siteA+"/a", ""))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		w.after(3*time.Second, 3*time.Second)
		w.wantSent("0 /robots.txt")
	})
	t.Run("no URL", func(t *testing.T) {
		_, err := newRobots(t, nil).DelayTransport(nil, 0).RoundTrip(&http.Request{Method: http.MethodGet})
		if !errors.Is(err, robotsext.ErrUncheckable) {
			t.Errorf("error %v", err)
		}
	})
}
