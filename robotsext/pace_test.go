package robotsext_test

import (
	"context"
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
			switch req.URL.Path {
			case "/robots.txt":
				return reply{status: 200, body: lines(robots)}.RoundTrip(req)
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
	t.Run("ROB-POL-02/from the end of a request", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			for _, path := range []string{"/slow", "/a"} {
				_ = c.Visit("http://example.com" + path)
			}
			if got, want := sent(), []string{"0 /robots.txt", "5 /slow", "13 /a"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-01/one at a time", func(t *testing.T) {
		paced(t, "User-agent: *⏎Crawl-delay: 1", func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach, colly.Async())
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/slow")
			synctest.Wait()
			_ = c.Visit("http://example.com/a")
			c.Wait()
			if got, want := sent(), []string{"0 /robots.txt", "1 /slow", "5 /a"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-02/by a client of Transport too", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			client := &http.Client{Transport: r.Transport(nil)}
			left, err := client.Get("http://example.com/left-open")
			if err != nil {
				t.Fatal(err)
			}
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/a") // waits for Timeout, not longer
			left.Body.Close()
			left.Body.Close()
			_ = c.Visit("http://example.com/b")
			if got, want := sent(), []string{"0 /robots.txt", "0 /left-open", "30 /a", "35 /b"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-02/a turn that is not used", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			c.OnRequest(func(req *colly.Request) {
				if req.URL.Path == "/aborted" {
					req.Abort()
				}
			})
			_ = c.Visit("http://example.com/aborted")
			_ = c.Visit("http://example.com/a")
			if got, want := sent(), []string{"0 /robots.txt", "10 /a"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	for _, status := range []int{200, 304, 403, 404, 429, 500, 503} {
		t.Run(fmt.Sprintf("ROB-POL-04/%d", status), func(t *testing.T) {
			paced(t, private, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
				c := colly.NewCollector(r.Attach)
				r.Pace(c, 2*time.Second)
				_ = c.Visit(fmt.Sprintf("http://example.com/busy?status=%d", status))
				_ = c.Visit("http://other.example.com/a")
				_ = c.Visit("http://example.com/a")
				want := []string{"0 /robots.txt", "0 /busy", "0 /robots.txt", "0 /a", "120 /a"}
				if got := sent(); !slices.Equal(got, want) {
					t.Errorf("sent %q, want %q", got, want)
				}
			})
		})
	}
	t.Run("ROB-POL-01/one server", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			for _, url := range []string{"http://example.com/a", "https://example.com/b", "http://example.com./c", "http://example.com:443/d"} {
				if err := c.Visit(url); err != nil {
					t.Error(err)
				}
			}
			want := []string{"0 /robots.txt", "5 /a", "10 /robots.txt", "15 /b", "20 /robots.txt", "25 /c", "30 /robots.txt", "35 /d"}
			if got := sent(); !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
			if err := c.Visit("http://example.com:8080/e"); err != nil {
				t.Error(err)
			}
			if got, want := sent()[len(want):], []string{"35 /robots.txt", "40 /e"}; !slices.Equal(got, want) {
				t.Errorf("of another port: sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-04/of one server", func(t *testing.T) {
		paced(t, private, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/a")
			_ = c.Visit("https://example.com/b")
			_ = c.Visit("http://example.com/busy?status=503")
			_ = c.Visit("https://example.com/c")
			want := []string{"0 /robots.txt", "0 /a", "0 /robots.txt", "0 /b", "0 /busy", "120 /c"}
			if got := sent(); !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
			}
		})
	})
	t.Run("ROB-POL-06", func(t *testing.T) {
		paced(t, asks5, func(t *testing.T, r *robotsext.Robots, sent func() []string) {
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			_ = c.Visit("http://example.com/gone")
			_ = c.Visit("http://example.com/a")
			if got, want := sent(), []string{"0 /robots.txt", "5 /gone", "10 /a"}; !slices.Equal(got, want) {
				t.Errorf("sent %q, want %q", got, want)
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
			if got, want := sent(), []string{"0 /robots.txt", "2 /a", "32 /b"}; !slices.Equal(got, want) {
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

// A LimitRule of colly's waits after each request, whatever Pace has waited.
func TestPaceBesideLimitRule(t *testing.T) {
	for _, test := range []struct {
		name string
		rule time.Duration
		want []string
	}{
		{"Crawl-delay is longer", 2 * time.Second, []string{"0 /robots.txt", "5 /a", "10 /b", "15 /c"}},
		{"LimitRule is longer", 8 * time.Second, []string{"0 /robots.txt", "5 /a", "13 /b", "21 /c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			paced(t, "User-agent: *⏎Crawl-delay: 5", func(t *testing.T, r *robotsext.Robots, sent func() []string) {
				c := colly.NewCollector(r.Attach)
				r.Pace(c, 0)
				if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Delay: test.rule}); err != nil {
					t.Fatal(err)
				}
				for _, path := range []string{"/a", "/b", "/c"} {
					if err := c.Visit("http://example.com" + path); err != nil {
						t.Error(err)
					}
				}
				if got := sent(); !slices.Equal(got, test.want) {
					t.Errorf("sent %q, want %q", got, test.want)
				}
			})
		})
	}
}
