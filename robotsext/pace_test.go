package robotsext_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// paced makes collectors in a bubble of fake time and tells when their requests
// were sent, in seconds since the start.
func paced(t *testing.T, robots string, test func(t *testing.T, r *robotsext.Robots, sent func() []string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var log []string
		start := time.Now()
		r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			log = append(log, fmt.Sprintf("%.0f %s", time.Since(start).Seconds(), req.URL.Path))
			mu.Unlock()
			if req.URL.Path == "/robots.txt" {
				return reply{status: 200, body: lines(robots)}.RoundTrip(req)
			}
			return reply{status: 200}.RoundTrip(req)
		})})
		test(t, r, func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(log)
		})
	})
}

func TestPace(t *testing.T) {
	const asks5 = "User-agent: testbot⏎Crawl-delay: 5⏎Disallow: /private⏎User-agent: *⏎Crawl-delay: 20"
	t.Run("ROB-POL-02/ROB-FET-19", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			for _, path := range []string{"/a", "/private", "/b"} {
				_ = c.Visit("http://example.com" + path)
			}
			clone := c.Clone()
			r.Pace(clone, 0)
			if err := clone.Visit("http://example.com/c"); err != nil {
				t.Error(err)
			}
			if got, want := sent(), []string{"0 /robots.txt", "5 /a", "10 /b", "15 /c"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-02/asynchronous", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach, colly.Async())
			r.Pace(c, 0)
			for i := range 4 {
				if err := c.Visit(fmt.Sprintf("http://example.com/%d", i)); err != nil {
					t.Error(err)
				}
				if err := c.Visit(fmt.Sprintf("http://%d.example.com/", i)); err != nil {
					t.Error(err)
				}
			}
			c.Wait()
			var own []string
			for _, line := range sent() {
				var at int
				var path string
				if _, err := fmt.Sscan(line, &at, &path); err == nil && len(path) == 2 {
					own = append(own, fmt.Sprint(at))
				}
			}
			if want := []string{"5", "10", "15", "20"}; !slices.Equal(own, want) {
				t.Errorf("sent at %q, want %q", own, want)
			}
		})
	})
	t.Run("ROB-EXT-01/longest", func(t *testing.T) {
		paced(t, "User-agent: *⏎Crawl-delay: 86400", func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 2*time.Second)
			_ = c.Visit("http://example.com/a")
			c = colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/b")
			if got, want := sent(), []string{"0 /robots.txt", "2 /a", "30 /b"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("no delay asked", func(t *testing.T) {
		paced(t, private, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/a")
			_ = c.Visit("http://example.com/b")
			if got, want := sent(), []string{"0 /robots.txt", "0 /a", "0 /b"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("context ends", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
			r.Pace(c, 0)
			if err := c.Visit("http://example.com/a"); err == nil {
				t.Error("no error")
			}
			if got, want := sent(), []string{"0 /robots.txt"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
}
