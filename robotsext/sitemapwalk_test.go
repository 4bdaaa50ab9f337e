package robotsext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// web is any number of sites in a bubble of fake time. Every answer but an error
// takes a second.
type web struct {
	t       *testing.T
	start   time.Time
	answers map[string][]reply // by URL, one after the other; the last stays

	mu   sync.Mutex
	sent []string // "seconds URL", without the http:// of a.example
}

// siteA is left out in the names of its URLs.
const siteA = "http://a.example"

// onWeb runs a test in a bubble.
func onWeb(t *testing.T, answers map[string][]reply, test func(t *testing.T, w *web)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, &web{t: t, start: time.Now(), answers: answers})
	})
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(req.URL.String(), siteA)
	w.mu.Lock()
	w.sent = append(w.sent, fmt.Sprintf("%.0f %s", time.Since(w.start).Seconds(), name))
	queue := w.answers[name]
	if len(queue) > 1 {
		w.answers[name] = queue[1:]
	}
	w.mu.Unlock()
	if len(queue) == 0 {
		return reply{status: 404}.RoundTrip(req)
	}
	resp, err := queue[0].RoundTrip(req)
	if err == nil {
		time.Sleep(time.Second)
	}
	return resp, err
}

func (w *web) robots(opts robotsext.Options) *robotsext.Robots {
	opts.Transport = w
	return newRobots(w.t, &opts)
}

func (w *web) wantSent(want ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.sent, want) {
		w.t.Errorf("sent %q, want %q", w.sent, want)
	}
}

// after wants so many seconds to have passed.
func (w *web) after(least, most time.Duration) {
	w.t.Helper()
	if took := time.Since(w.start); took < least || took > most {
		w.t.Errorf("took %s, want %s to %s", took, least, most)
	}
}

func ok(body string) []reply { return []reply{{status: 200, body: body}} }

func robotsListing(urls ...string) []reply {
	var b strings.Builder
	for _, u := range urls {
		fmt.Fprintf(&b, "Sitemap: %s\n", u)
	}
	return ok(b.String())
}

var rootA = &url.URL{Scheme: "http", Host: "a.example", Path: "/"}

func short(urls []string) []string {
	var names []string
	for _, u := range urls {
		names = append(names, strings.TrimPrefix(u, siteA))
	}
	return names
}

func wantPages(t *testing.T, got []string, want ...string) {
	t.Helper()
	if got = short(got); !slices.Equal(got, want) {
		t.Errorf("pages %q, want %q", got, want)
	}
}

func TestSitemapTurns(t *testing.T) {
	two := func() map[string][]reply {
		return map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
			"/1.xml":      ok(urlset(siteA+"/a", siteA+"/b")),
			"/2.xml":      ok(urlset(siteA + "/c")),
			"/a":          ok("page"), "/b": ok("page"), "/c": ok("page"),
		}
	}
	t.Run("ROB-POL-02/SitemapDelay", func(t *testing.T) {
		for delay, want := range map[time.Duration][]string{
			0:               {"0 /robots.txt", "2 /1.xml", "4 /2.xml"},
			3 * time.Second: {"0 /robots.txt", "4 /1.xml", "8 /2.xml"},
			-1:              {"0 /robots.txt", "1 /1.xml", "2 /2.xml"},
		} {
			onWeb(t, two(), func(t *testing.T, w *web) {
				pages, errs := gather(w.robots(robotsext.Options{SitemapDelay: delay}).Sitemaps(t.Context(), rootA))
				if len(errs) > 0 {
					t.Error(errs)
				}
				wantPages(t, pages, "/a", "/b", "/c")
				w.wantSent(want...)
			})
		}
	})
	t.Run("ROB-POL-01/ROB-EXT-01/Crawl-delay, pages between", func(t *testing.T) {
		answers := two()
		answers["/robots.txt"][0].body += "User-agent: *\nCrawl-delay: 10\nDisallow:\nUser-agent: testbot\nCrawl-delay: 5\n"
		onWeb(t, answers, func(t *testing.T, w *web) {
			r := w.robots(robotsext.Options{})
			c := colly.NewCollector(r.Attach)
			r.Pace(c, 0)
			for entry, err := range r.Sitemaps(t.Context(), rootA) {
				if err != nil {
					t.Error(err)
				} else if err := c.Visit(entry.Loc); err != nil {
					t.Error(err)
				}
			}
			w.wantSent("0 /robots.txt", "6 /1.xml", "12 /a", "18 /b", "24 /2.xml", "30 /c")
		})
	})
	t.Run("ROB-POL-01/Options.Wait", func(t *testing.T) {
		answers := two()
		answers["/1.xml"] = []reply{{status: 302, header: http.Header{"Location": {"http://b.example/1.xml"}}}}
		answers["http://b.example/1.xml"] = ok(urlset(siteA + "/a"))
		onWeb(t, answers, func(t *testing.T, w *web) {
			var asked []string
			under := 0
			r := w.robots(robotsext.Options{Wait: func(_ context.Context, u *url.URL) (func(), error) {
				asked = append(asked, u.String())
				under++
				return func() { under-- }, nil
			}})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			wantPages(t, pages, "/a", "/c")
			want := []string{"/robots.txt", "/1.xml", "http://b.example/robots.txt", "http://b.example/1.xml", "/2.xml"}
			if got := short(asked); !slices.Equal(got, want) || under != 0 || len(errs) > 0 {
				t.Errorf("asked %q, %d not over, errors %v; want %q", got, under, errs, want)
			}
		})
	})
	t.Run("ROB-POL-01/Options.Wait refuses", func(t *testing.T) {
		onWeb(t, two(), func(t *testing.T, w *web) {
			full := errors.New("full")
			r := w.robots(robotsext.Options{Wait: func(_ context.Context, u *url.URL) (func(), error) {
				if u.Path == "/1.xml" {
					return nil, full
				}
				return nil, nil
			}})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			wantPages(t, pages, "/c")
			if len(errs) != 1 || !errors.Is(errs[0], full) {
				t.Errorf("errors %v", errs)
			}
		})
	})
}

func TestSitemapRetries(t *testing.T) {
	t.Run("ROB-POL-08/ROB-SMP-24/permanent 500", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
			"/1.xml":      {{status: 500}},
			"/2.xml":      ok(urlset(siteA + "/a")),
		}, func(t *testing.T, w *web) {
			var files []robotsext.SitemapFile
			r := w.robots(robotsext.Options{OnSitemap: func(f robotsext.SitemapFile) { files = append(files, f) }})
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			wantPages(t, pages, "/a")
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), "/1.xml: status 500") {
				t.Errorf("errors %v", errs)
			}
			// Back-off of 1, 2 and 4 minutes, from the end of the answer.
			w.wantSent("0 /robots.txt", "2 /1.xml", "4 /2.xml", "63 /1.xml", "184 /1.xml", "425 /1.xml")
			if len(files) != 2 || files[0].URL != siteA+"/2.xml" || files[1].Attempts != 4 || files[1].Status != 500 || files[1].Err == nil || !files[1].RetryAt.IsZero() {
				t.Errorf("files %+v", files)
			}
			if err := r.Check(t.Context(), mustParse(t, siteA+"/a")); err != nil { // ROB-SMP-24
				t.Error(err)
			}
		})
	})
	t.Run("ROB-POL-04/ROB-SMP-24/429", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt":            robotsListing(siteA+"/1.xml", "http://b.example/3.xml", siteA+"/2.xml"),
			"/1.xml":                 {{status: 429, header: http.Header{"Retry-After": {"120"}}}, ok(urlset(siteA + "/a"))[0]},
			"/2.xml":                 ok(urlset(siteA + "/b")),
			"http://b.example/3.xml": ok(urlset(siteA + "/c")),
		}, func(t *testing.T, w *web) {
			pages, errs := gather(w.robots(robotsext.Options{}).Sitemaps(t.Context(), rootA))
			if len(errs) > 0 {
				t.Error(errs)
			}
			wantPages(t, pages, "/c", "/a", "/b")
			w.wantSent("0 /robots.txt", "2 /1.xml", "3 http://b.example/robots.txt", "4 http://b.example/3.xml", "123 /1.xml", "125 /2.xml")
		})
	})
	t.Run("ROB-POL-04/longer than a walk waits", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
			"/1.xml":      {{status: 503, header: http.Header{"Retry-After": {"7200"}}}},
		}, func(t *testing.T, w *web) {
			var files []robotsext.SitemapFile
			r := w.robots(robotsext.Options{OnSitemap: func(f robotsext.SitemapFile) { files = append(files, f) }})
			_, errs := gather(r.Sitemaps(t.Context(), rootA))
			w.wantSent("0 /robots.txt", "2 /1.xml")
			w.after(0, 10*time.Second)
			if len(errs) != 2 || len(files) != 2 || files[1].Attempts != 0 {
				t.Fatalf("errors %v, files %+v", errs, files)
			}
			for _, err := range errs {
				e, ok := errors.AsType[*robotsext.SitemapError](err)
				if want := w.start.Add(7203 * time.Second); !ok || !e.RetryAt.Equal(want) || !strings.Contains(err.Error(), want.UTC().Format(time.RFC3339)) {
					t.Errorf("error %v", err)
				}
			}
		})
	})
	t.Run("ROB-POL-03/robots.txt of another origin unreachable", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt":                 robotsListing("http://b.example/1.xml"),
			"http://b.example/robots.txt": {{status: 500}, {status: 500}, ok("User-agent: *\nDisallow: /x")[0]},
			"http://b.example/1.xml":      ok(urlset(siteA + "/a")),
		}, func(t *testing.T, w *web) {
			pages, errs := gather(w.robots(robotsext.Options{}).Sitemaps(t.Context(), rootA))
			if len(errs) > 0 {
				t.Error(errs)
			}
			wantPages(t, pages, "/a")
			w.wantSent("0 /robots.txt", "1 http://b.example/robots.txt", "62 http://b.example/robots.txt", "183 http://b.example/robots.txt", "185 http://b.example/1.xml")
		})
	})
	t.Run("ROB-SMP-24/network error", func(t *testing.T) {
		onWeb(t, map[string][]reply{
			"/robots.txt": robotsListing(siteA + "/1.xml"),
			"/1.xml":      {{err: io.ErrClosedPipe}, ok(urlset(siteA + "/a"))[0]},
		}, func(t *testing.T, w *web) {
			pages, errs := gather(w.robots(robotsext.Options{RetryMin: time.Second}).Sitemaps(t.Context(), rootA))
			wantPages(t, pages, "/a")
			w.wantSent("0 /robots.txt", "2 /1.xml", "3 /1.xml")
			if len(errs) > 0 {
				t.Error(errs)
			}
		})
	})
}

// broken yields what it has and then an error.
type broken struct {
	io.Reader
	err error
}

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

// A file that breaks off is read on where it did, and what is wrong with it is
// told once.
func TestSitemapBreaksOff(t *testing.T) {
	whole := urlset(siteA+"/a", siteA+"/b", siteA+"/c")
	whole = strings.Replace(whole, "</url>", "<priority>7</priority></url>", 1)
	whole = strings.Replace(whole, siteA+"/c</loc>", siteA+"/c</loc><lastmod>soon</lastmod>", 1)
	plain, packed := []byte(whole), zip([]byte(whole))
	for name, test := range map[string]struct {
		body  []byte
		cut   int
		times int // how often it breaks off
		pages int // that are read if it always does
	}{
		"in the first entry":       {plain, 80, 1, 0},
		"between entries":          {plain, strings.Index(whole, siteA+"/b"), 1, 0},
		"ROB-SMP-11/gzip":          {packed, len(packed) / 2, 1, 0},
		"ROB-POL-08/three times":   {plain, strings.Index(whole, siteA+"/c"), 3, 0},
		"ROB-POL-08/for good":      {plain, strings.Index(whole, siteA+"/c"), 9, 2},
		"ROB-POL-08/gzip for good": {packed, len(packed) / 2, 9, 0},
	} {
		t.Run("ROB-SMP-24/ROB-SMP-22/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				var told []string
				var files []robotsext.SitemapFile
				r := newRobots(t, &robotsext.Options{
					OnSitemap:        func(f robotsext.SitemapFile) { files = append(files, f) },
					OnSitemapFinding: func(_ string, f sitemap.Finding) { told = append(told, string(f.Kind)) },
					Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
						resp, _ := reply{status: 200}.RoundTrip(req)
						if req.URL.Path == "/robots.txt" {
							resp.Body = io.NopCloser(strings.NewReader("Sitemap: " + siteA + "/1.xml"))
							return resp, nil
						}
						var body io.Reader = bytes.NewReader(test.body)
						if asked++; asked <= test.times {
							body = broken{bytes.NewReader(test.body[:test.cut]), io.ErrUnexpectedEOF}
						}
						resp.Body = io.NopCloser(body)
						return resp, nil
					}),
				})
				var pages []string
				var errs []error
				for entry, err := range r.Sitemaps(t.Context(), rootA) {
					if err != nil {
						errs = append(errs, err)
						continue
					}
					pages = append(pages, entry.Loc)
					if entry.File != siteA+"/1.xml" {
						t.Errorf("entry %+v", entry)
					}
				}
				want := []string{string(sitemap.BadPriority), string(sitemap.BadLastMod)}
				if test.times > 3 {
					if len(errs) != 1 || !errors.Is(errs[0], sitemap.Unreadable) || files[0].Attempts != 4 {
						t.Errorf("errors %v, files %+v", errs, files)
					}
					unreadable := slices.DeleteFunc(told, func(s string) bool { return s != string(sitemap.Unreadable) })
					if len(pages) != test.pages || len(unreadable) != 1 {
						t.Errorf("pages %q, told %q", pages, told)
					}
					return
				}
				wantPages(t, pages, "/a", "/b", "/c")
				if len(errs) > 0 || !slices.Equal(told, want) || len(files) != 1 || !files[0].Summary.Complete {
					t.Errorf("errors %v, told %q, files %+v", errs, told, files)
				}
			})
		})
	}
}

// Entries come as they arrive, and the answer is received to its end however long
// their reader takes.
func TestSitemapStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ended time.Duration
		body := &endless{wait: time.Second, next: func(i int) string {
			switch {
			case i == 0:
				return strings.TrimSuffix(urlset(), "</urlset>")
			case i <= 60:
				return strings.TrimSpace(locs("url", []string{fmt.Sprintf("%s/%d", siteA, i)}))
			}
			if ended == 0 {
				ended = time.Since(start)
			}
			return "</urlset>"
		}}
		n := 0
		for _, err := range served(t, body, robotsext.Options{SitemapDelay: -1}).Sitemaps(t.Context(), rootA) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 && time.Since(start) > 5*time.Second {
				t.Errorf("the first entry came after %s", time.Since(start))
			}
			time.Sleep(time.Hour)
		}
		if n != 60 || ended != 62*time.Second {
			t.Errorf("%d entries, all received after %s", n, ended)
		}
	})
}

// What a slow reader has not read yet is kept as it came, and no more than a file
// may have.
func TestSitemapMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := &endless{next: func(int) string { return siteA + "/" + strings.Repeat("x", 1000) + "\n" }}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for _, err := range served(t, body, robotsext.Options{}).Sitemaps(t.Context(), rootA) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			runtime.GC()
			runtime.ReadMemStats(&after)
			break
		}
		if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > sitemap.MaxBytes+8<<20 {
			t.Errorf("%d MiB are held", held>>20)
		}
		if *body.over != 1 {
			t.Error("the answer was not closed")
		}
	})
}
