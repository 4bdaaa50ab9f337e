package robotsext_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// endless makes bodies of what next returns, one piece a wait.
type endless struct {
	wait time.Duration
	next func(i int) string
	i    int
	rest string
	ctx  context.Context
	over *int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		select {
		case <-time.After(e.wait):
		case <-e.ctx.Done():
			return 0, context.Cause(e.ctx)
		}
		e.rest = e.next(e.i)
		e.i++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *endless) Close() error {
	*e.over++
	return nil
}

// served returns a Robots for a.example, which serves body as its sitemap.
func served(t *testing.T, body *endless, opts robotsext.Options) *robotsext.Robots {
	t.Helper()
	body.over = new(int)
	opts.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/robots.txt" {
			return robotsListing(siteA + "/1.xml")[0].RoundTrip(req)
		}
		resp, err := reply{status: 200}.RoundTrip(req)
		again := *body
		again.ctx = req.Context()
		resp.Body = &again
		return resp, err
	})
	return newRobots(t, &opts)
}

// Whatever a site sends, a walk ends in bounded time, with an error that says why.
func TestHostileSitemaps(t *testing.T) {
	entry := func(i int) string { return fmt.Sprintf("<url><loc>%s/%d</loc></url>", siteA, i) }
	opening := strings.TrimSuffix(urlset(), "</urlset>")
	withOpening := func(next func(int) string) func(int) string {
		return func(i int) string {
			if i == 0 {
				return opening
			}
			return next(i)
		}
	}
	for _, test := range []struct {
		name  string
		body  *endless
		want  error
		pages int // at least
		most  time.Duration
	}{
		{"ROB-SMP-12/never ends", &endless{next: withOpening(entry)}, sitemap.TooManyEntries, 50_000, time.Minute},
		{"ROB-SMP-12/blanks that never end", &endless{next: withOpening(func(int) string { return strings.Repeat(" ", 1<<16) })}, sitemap.TooManyBytes, 0, time.Minute},
		{"a byte a second", &endless{wait: time.Second, next: func(i int) string {
			whole := opening + strings.Repeat(entry(1), 1+i/20)
			return whole[i : i+1]
		}}, robotsext.ErrSitemapTimeout, 3, 6 * time.Minute},
		{"nothing at all", &endless{wait: time.Hour, next: entry}, robotsext.ErrSitemapTimeout, 0, 10 * time.Minute},
	} {
		t.Run("ROB-SMP-24/"+test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r := served(t, test.body, robotsext.Options{})
				pages, errs := gather(r.Sitemaps(t.Context(), rootA))
				if len(errs) != 1 || !errors.Is(errs[0], test.want) || len(pages) < test.pages {
					t.Errorf("%d pages, errors %v; want %v", len(pages), errs, test.want)
				}
				if took := time.Since(start); took > test.most {
					t.Errorf("took %s, want at most %s", took, test.most)
				}
				if *test.body.over == 0 {
					t.Error("the answer was not closed")
				}
			})
		})
	}
	t.Run("ROB-SMP-24/no answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start, asked := time.Now(), 0
			r := newRobots(t, &robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: 10 * time.Second}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/robots.txt" {
					return robotsListing(siteA + "/1.xml")[0].RoundTrip(req)
				}
				asked++
				<-req.Context().Done()
				return nil, req.Context().Err()
			})})
			_, errs := gather(r.Sitemaps(t.Context(), rootA))
			if len(errs) != 1 || !errors.Is(errs[0], robotsext.ErrSitemapTimeout) || asked != 4 {
				t.Errorf("%d requests, errors %v", asked, errs)
			}
			// A second, four times 10 s, and waits of 1, 2 and 4 minutes.
			if took := time.Since(start); took != 7*time.Minute+41*time.Second {
				t.Errorf("took %s", took)
			}
		})
	})
	t.Run("ROB-SMP-18/thousands that are not the sitemap's to list", func(t *testing.T) {
		var urls []string
		for i := range 3000 {
			urls = append(urls, fmt.Sprintf("http://b.example/%d", i))
		}
		onWeb(t, map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(urlset(urls...))}, func(t *testing.T, w *web) {
			told, last, left := 0, sitemap.Kind(""), 0
			r := w.robots(robotsext.Options{
				Sitemaps: robotsext.SitemapOptions{
					OnFinding: func(_ string, f sitemap.Finding) { told, last = told+1, f.Kind },
					OnFile:    func(f robotsext.SitemapFile) { left = f.NotAuthorized },
				},
			})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			if len(pages) != 0 || len(errs) != 1 || !errors.Is(errs[0], robotsext.ErrSitemapUseless) || told != 1001 || last != sitemap.FindingsDropped || left != 3000 {
				t.Errorf("%d pages, errors %v, %d findings, the last %q, %d left out", len(pages), errs, told, last, left)
			}
		})
	})
	t.Run("ROB-SMP-12/blanks without end in gzip", func(t *testing.T) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = io.WriteString(z, opening)
		for range 8 {
			_, _ = z.Write(bytes.Repeat([]byte{'\t'}, 1<<20))
		}
		_ = z.Close()
		walk{
			name:    "walk",
			answers: map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(packed.String())},
			errs:    []string{sitemap.RatioTooHigh.Error()},
			sent:    []string{"0 /robots.txt", "2 /1.xml"},
		}.run(t)
	})
	t.Run("ROB-SMP-20/index that lists itself", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt": robotsListing(siteA + "/1.xml"),
			"/1.xml":      ok(index(slices.Repeat([]string{siteA + "/1.xml", "HTTP://A.example:80/x/../1.xml", siteA + "/1.xml#x"}, 1000)...)),
		}, func(t *testing.T, w *web) {
			told := make(map[sitemap.Kind]int)
			r := w.robots(robotsext.Options{Sitemaps: robotsext.SitemapOptions{OnFinding: func(_ string, f sitemap.Finding) { told[f.Kind]++ }}})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			if len(pages)+len(errs) != 0 || told[sitemap.Loop] != 1000 || told[sitemap.FindingsDropped] != 1 {
				t.Errorf("pages %q, errors %v, findings %v", pages, errs, told)
			}
			w.wantSent("0 /robots.txt", "2 /1.xml")
		})
	})
	t.Run("ROB-SMP-20/indexes that list each other", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/3.xml"),
			"/1.xml":      ok(index(siteA + "/2.xml")),
			"/2.xml":      ok(index(siteA+"/3.xml", siteA+"/4.xml", siteA+"/1.xml")), // the first is only listed twice
			"/3.xml":      ok(urlset(siteA + "/a")),
			"/4.xml":      ok(index(siteA + "/4.xml")), // deeper than may be, but not to be followed anyway
		}, func(t *testing.T, w *web) {
			var told []string
			r := w.robots(robotsext.Options{Sitemaps: robotsext.SitemapOptions{OnFinding: func(file string, f sitemap.Finding) {
				told = append(told, fmt.Sprintf("%s: %s: %s", file, f.Kind, f.Text))
			}}})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			wantPages(t, pages, "/a")
			want := []string{
				fmt.Sprintf("%s/2.xml: %s: %[1]s/1.xml", siteA, sitemap.Loop),
				fmt.Sprintf("%s/4.xml: %s: %[1]s/4.xml", siteA, sitemap.Loop),
			}
			if len(errs) != 0 || !slices.Equal(told, want) {
				t.Errorf("errors %v, findings %q, want %q", errs, told, want)
			}
			w.wantSent("0 /robots.txt", "2 /1.xml", "4 /2.xml", "6 /4.xml", "8 /3.xml")
		})
	})
	t.Run("ROB-SMP-20/endless chain of indexes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/robots.txt" {
					return robotsListing(siteA + "/x")[0].RoundTrip(req)
				}
				asked++
				return ok(index(siteA+req.URL.Path+"x", siteA+req.URL.Path+"y"))[0].RoundTrip(req)
			})})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			// x, xx and xy, and four below these, each of which lists more.
			if len(pages) != 0 || asked != 7 || len(errs) != 4 || !errors.Is(errs[0], robotsext.ErrSitemapDepth) {
				t.Errorf("%d requests, errors %v", asked, errs)
			}
		})
	})
	t.Run("ROB-SMP-20/indexes that list thousands", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			r := newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 50}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/robots.txt" {
					return robotsListing(siteA + "/x")[0].RoundTrip(req)
				}
				asked++
				var files []string
				for i := range 300 {
					files = append(files, fmt.Sprintf("%s%s/%d", siteA, req.URL.Path, i))
				}
				return ok(index(files...))[0].RoundTrip(req)
			})})
			_, errs := gather(r.Sitemaps(t.Context(), rootA))
			if asked != 50 || len(errs) != 49 || !errors.Is(errs[48], robotsext.ErrSitemapBudget) {
				t.Errorf("%d requests, %d errors, the last %v", asked, len(errs), errs[len(errs)-1])
			}
		})
	})
	t.Run("ROB-SMP-20/100,000 lines", func(t *testing.T) {
		var robots strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&robots, "Sitemap:%s/%d\n", siteA, i)
		}
		for _, limit := range []int{0, 1 << 30} {
			synctest.Test(t, func(t *testing.T) {
				start, asked := time.Now(), 0
				r := newRobots(t, &robotsext.Options{Parse: &robotstxt.Options{MaxBytes: limit}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					if req.URL.Path == "/robots.txt" {
						return ok(robots.String())[0].RoundTrip(req)
					}
					asked++
					return ok(urlset(siteA + "/page" + req.URL.Path))[0].RoundTrip(req)
				})})
				pages, errs := gather(r.Sitemaps(t.Context(), rootA))
				if asked != 1000 || len(pages) != 1000 || len(errs) != 1 || !errors.Is(errs[0], robotsext.ErrSitemapBudget) {
					t.Errorf("%d requests, %d pages, errors %v", asked, len(pages), errs)
				}
				if took := time.Since(start); took != 1000*time.Second {
					t.Errorf("took %s", took)
				}
			})
		}
	})
	walk{
		name:    "ROB-SMP-20/redirect loop",
		answers: map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": {redirect("/1.xml")}},
		errs:    []string{"redirect loop"},
		sent:    []string{"0 /robots.txt", "2 /1.xml"},
	}.run(t)
	endlessly := walk{
		name:    "ROB-SMP-20/redirects without end",
		answers: map[string][]reply{"/robots.txt": robotsListing(siteA + "/0")},
		opts:    noDelay,
		errs:    []string{"more than 20 redirects"},
		sent:    []string{"0 /robots.txt"},
	}
	for i := range 21 {
		endlessly.answers[fmt.Sprintf("/%d", i)] = []reply{redirect(fmt.Sprintf("/%d", i+1))}
		endlessly.sent = append(endlessly.sent, fmt.Sprintf("%d /%d", i+1, i))
	}
	endlessly.run(t)
}
