package robotsext_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// panics calls f and returns what it panicked with.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// funcBody is a body that is read by a function.
type funcBody func() (int, error)

func (f funcBody) Read([]byte) (int, error) { return f() }
func (f funcBody) Close() error             { return nil }

// loadCache calls a function in Load, and has nothing.
type loadCache func()

func (f loadCache) Load(context.Context, robotsext.Origin) (*robotsext.Record, error) {
	f()
	return nil, nil
}
func (loadCache) Store(context.Context, *robotsext.Record) error { return nil }

// A function of the program that panics while robots.txt is fetched panics in those who wait
// for it, where they can recover, and harms nobody later.
func TestPanicReachesCallers(t *testing.T) {
	for name, options := range map[string]func(boom func()) robotsext.Options{
		"Transport": func(boom func()) robotsext.Options {
			return robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) { boom(); return robotsReply.RoundTrip(req) })}
		},
		"body": func(boom func()) robotsext.Options {
			return robotsext.Options{Transport: reply{status: 200, open: func(context.Context) io.ReadCloser {
				return funcBody(func() (int, error) { boom(); return 0, io.EOF })
			}}}
		},
		"Wait": func(boom func()) robotsext.Options {
			return robotsext.Options{Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) { boom(); return nil, nil }}}
		},
		"done of Wait": func(boom func()) robotsext.Options {
			return robotsext.Options{Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) { return boom, nil }}}
		},
		"OnRecord": func(boom func()) robotsext.Options {
			return robotsext.Options{OnRecord: func(*robotsext.Record) { boom() }}
		},
		"Load": func(boom func()) robotsext.Options {
			return robotsext.Options{Cache: robotsext.CacheOptions{Backend: loadCache(boom)}}
		},
		"Store": func(boom func()) robotsext.Options {
			return robotsext.Options{Cache: robotsext.CacheOptions{Backend: goexitCache{boom}}}
		},
		"Schemes": func(boom func()) robotsext.Options {
			return robotsext.Options{Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"ftp": func(context.Context, *url.URL) (io.ReadCloser, error) {
				boom()
				return io.NopCloser(strings.NewReader(private)), nil
			}}}}
		},
	} {
		run := func(mode string, end func(), test func(t *testing.T, r *robotsext.Robots, u *url.URL, log func() string)) {
			inBubble(t, "ROB-FET-03/"+name+"/"+mode, func(t *testing.T) {
				var log bytes.Buffer
				first, asked := true, 0
				opts := options(func() {
					if first {
						first = false
						time.Sleep(time.Second)
						end()
					}
				})
				if opts.Transport == nil {
					opts.Transport = roundTripper(func(req *http.Request) (*http.Response, error) { asked++; return robotsReply.RoundTrip(req) })
				}
				opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
				u := mustParse(t, "http://example.com/a")
				if opts.Fetch.Schemes != nil {
					u.Scheme = "ftp"
				}
				r := newRobots(t, &opts)
				test(t, r, u, func() string { synctest.Wait(); return log.String() })
				if err := r.Check(t.Context(), u); err != nil || asked > 1 && name != "done of Wait" {
					t.Errorf("error %v after %d requests", err, asked)
				}
			})
		}
		boom := func() { panic("boom") }
		run("callers", boom, func(t *testing.T, r *robotsext.Robots, u *url.URL, log func() string) {
			var callers sync.WaitGroup
			for range 3 {
				callers.Go(func() {
					if got := panics(func() { _ = r.Check(t.Context(), u) }); got != "boom" {
						t.Errorf("recovered %v", got)
					}
				})
			}
			callers.Wait()
			if log() != "" {
				t.Errorf("logged %s", log())
			}
		})
		run("nobody waits", boom, func(t *testing.T, r *robotsext.Robots, u *url.URL, log func() string) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			if got := panics(func() { _ = r.Check(ctx, u) }); got != nil || ctx.Err() == nil {
				t.Errorf("recovered %v, context %v", got, ctx.Err())
			}
			time.Sleep(time.Second)
			if !strings.Contains(log(), "level=ERROR") || !strings.Contains(log(), "panic=boom") || !strings.Contains(log(), "panic_test.go") {
				t.Errorf("logged %q", log())
			}
		})
		run("ends its goroutine", runtime.Goexit, func(t *testing.T, r *robotsext.Robots, u *url.URL, _ func() string) {
			wantLater(t, r.Check(t.Context(), u))
		})
	}
}

// A page or sitemap whose transport panics does so in its caller, and ends the request.
func TestPanicOfPagesAndSitemaps(t *testing.T) {
	const delay = "User-agent: *\nCrawl-delay: 5\nSitemap: " + siteA + "/map.xml\n"
	boom := true
	transport := roundTripper(func(req *http.Request) (*http.Response, error) {
		switch {
		case req.URL.Path == "/robots.txt":
			return reply{status: 200, body: delay}.RoundTrip(req)
		case req.URL.Path == "/map.xml" && !boom:
			return reply{status: 200, body: urlset(siteA + "/a")}.RoundTrip(req)
		case !boom:
			return reply{status: 200}.RoundTrip(req)
		}
		boom = false
		panic("boom")
	})
	visit := func(t *testing.T, r *robotsext.Robots) {
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		wantOK(t, c.Visit(siteA+"/a"))
	}
	sitemaps := func(t *testing.T, r *robotsext.Robots) {
		_, errs := gather(r.Sitemaps(t.Context(), rootA))
		wantErrors(t, errs)
	}
	for name, request := range map[string]func(t *testing.T, r *robotsext.Robots){"ROB-POL-02/page": visit, "ROB-POL-02/sitemap": sitemaps} {
		inBubble(t, name, func(t *testing.T) {
			boom = true
			slots := 0
			r := newRobots(t, &robotsext.Options{Transport: transport, Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) {
				slots++
				return func() { slots-- }, nil
			}}})
			start := time.Now()
			if got := panics(func() { request(t, r) }); got != "boom" {
				t.Errorf("recovered %v", got)
			}
			visit(t, r)
			sitemaps(t, r)
			if took := time.Since(start); took > 20*time.Second || slots != 0 {
				t.Errorf("took %s, %d slots are held: a request is still in flight", took, slots)
			}
		})
	}
	for name, test := range map[string]struct {
		body funcBody
		want any
	}{
		"body":              {func() (int, error) { panic("boom") }, "boom"},
		"body that ends it": {func() (int, error) { runtime.Goexit(); return 0, nil }, nil},
	} {
		file := reply{status: 200, open: func(context.Context) io.ReadCloser { return test.body }}
		onWeb(t, "ROB-SMP-24/"+name, map[string][]reply{"/robots.txt": ok(delay), "/map.xml": {file}}, func(t *testing.T, w *web) {
			var errs []error
			if got := panics(func() { _, errs = w.sitemaps(robotsext.Options{}) }); got != test.want || got == nil && len(errs) != 1 {
				t.Errorf("recovered %v, errors %v", got, errs)
			}
		})
	}
}
