package robotsext_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestSitemapRequestSlots(t *testing.T) {
	two := func() map[string][]reply {
		return map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
			"/1.xml":      ok(urlset(siteA+"/a", siteA+"/b")),
			"/2.xml":      ok(urlset(siteA + "/c")),
			"/a":          ok("page"), "/b": ok("page"), "/c": ok("page"),
		}
	}
	for delay, sent := range map[time.Duration][]string{
		0:               {"0 /robots.txt", "2 /1.xml", "4 /2.xml"},
		3 * time.Second: {"0 /robots.txt", "4 /1.xml", "8 /2.xml"},
		-1:              {"0 /robots.txt", "1 /1.xml", "2 /2.xml"},
	} {
		opts := robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: delay}}
		walk{name: "ROB-POL-02/SitemapDelay", answers: two(), opts: opts, pages: []string{"/a", "/b", "/c"}, sent: sent}.run(t)
	}
	delayed := two()
	delayed["/robots.txt"][0].body += "User-agent: *\nCrawl-delay: 10\nDisallow:\nUser-agent: testbot\nCrawl-delay: 5\n"
	onWeb(t, "ROB-POL-01/ROB-EXT-01/Crawl-delay, pages between", delayed, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		for entry, err := range r.Sitemaps(t.Context(), rootA) {
			wantOK(t, errors.Join(err, c.Visit(entry.Loc)))
		}
		w.wantSent("0 /robots.txt", "6 /1.xml", "12 /a", "18 /b", "24 /2.xml", "30 /c")
	})
	redirected := two()
	redirected["/1.xml"] = []reply{redirect("http://b.example/1.xml")}
	redirected["http://b.example/1.xml"] = ok(urlset(siteA + "/a"))
	onWeb(t, "ROB-POL-01/Options.Fetch.Wait", redirected, func(t *testing.T, w *web) {
		var asked []string
		under := 0
		pages, errs := w.sitemaps(robotsext.Options{Fetch: robotsext.FetchOptions{Wait: func(_ context.Context, u *url.URL) (func(), error) {
			asked = append(asked, u.String())
			under++
			return func() { under-- }, nil
		}}})
		wantPages(t, pages, "/a", "/c")
		wantErrors(t, errs)
		want := []string{"/robots.txt", "/1.xml", "http://b.example/robots.txt", "http://b.example/1.xml", "/2.xml"}
		if got := short(asked); !slices.Equal(got, want) || under != 0 {
			t.Errorf("asked %q, %d not over; want %q", got, under, want)
		}
	})
	walk{
		name: "ROB-POL-01/Options.Fetch.Wait refuses", answers: two(),
		opts: robotsext.Options{Fetch: robotsext.FetchOptions{Wait: func(_ context.Context, u *url.URL) (func(), error) {
			if u.Path == "/1.xml" {
				return nil, errors.New("full")
			}
			return nil, nil
		}}},
		pages: []string{"/c"},
		errs:  []string{"full"},
		sent:  []string{"0 /robots.txt", "2 /2.xml"},
	}.run(t)
}

func TestSitemapRetries(t *testing.T) {
	onWeb(t, "ROB-POL-08/ROB-SMP-24/permanent 500", map[string][]reply{
		"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
		"/1.xml":      {{status: 500}},
		"/2.xml":      ok(urlset(siteA + "/a")),
	}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		pages, errs := gather(r.Sitemaps(t.Context(), rootA))
		wantPages(t, pages, "/a")
		wantErrors(t, errs, "/1.xml: status 500")
		// Back-off of 1, 2 and 4 minutes, from the end of the answer.
		w.wantSent("0 /robots.txt", "2 /1.xml", "4 /2.xml", "63 /1.xml", "184 /1.xml", "425 /1.xml")
		if f := w.files; len(f) != 2 || f[0].URL != siteA+"/2.xml" || f[1].Attempts != 4 || f[1].Status != 500 || f[1].Err == nil || !f[1].RetryAt.IsZero() {
			t.Errorf("files %+v", f)
		}
		wantOK(t, r.Check(t.Context(), mustParse(t, siteA+"/a"))) // ROB-SMP-24
	})
	for _, test := range []walk{
		{
			name: "ROB-POL-08/ROB-SMP-24/408",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/1.xml"),
				"/1.xml":      {{status: 408}, ok(urlset(siteA + "/a"))[0]},
			},
			pages: []string{"/a"},
			sent:  []string{"0 /robots.txt", "2 /1.xml", "63 /1.xml"},
		},
		{
			name: "ROB-POL-04/ROB-SMP-24/429",
			answers: map[string][]reply{
				"/robots.txt":            robotsListing(siteA+"/1.xml", "http://b.example/3.xml", siteA+"/2.xml"),
				"/1.xml":                 {retryAfter(429, 120, ""), ok(urlset(siteA + "/a"))[0]},
				"/2.xml":                 ok(urlset(siteA + "/b")),
				"http://b.example/3.xml": ok(urlset(siteA + "/c")),
			},
			pages: []string{"/c", "/a", "/b"},
			sent:  []string{"0 /robots.txt", "2 /1.xml", "3 http://b.example/robots.txt", "4 http://b.example/3.xml", "123 /1.xml", "125 /2.xml"},
		},
		{
			name: "ROB-POL-03/robots.txt of another origin unreachable",
			answers: map[string][]reply{
				"/robots.txt":                 robotsListing("http://b.example/1.xml"),
				"http://b.example/robots.txt": {{status: 500}, {status: 500}, ok("User-agent: *\nDisallow: /x")[0]},
				"http://b.example/1.xml":      ok(urlset(siteA + "/a")),
			},
			pages: []string{"/a"},
			sent: []string{
				"0 /robots.txt", "1 http://b.example/robots.txt", "62 http://b.example/robots.txt",
				"183 http://b.example/robots.txt", "185 http://b.example/1.xml",
			},
		},
		{
			name: "ROB-SMP-24/network error",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/1.xml"),
				"/1.xml":      {{err: io.ErrClosedPipe}, ok(urlset(siteA + "/a"))[0]},
			},
			opts:  robotsext.Options{Outage: robotsext.OutageOptions{RetryMin: time.Second}},
			pages: []string{"/a"},
			sent:  []string{"0 /robots.txt", "2 /1.xml", "3 /1.xml"},
		},
	} {
		test.run(t)
	}
	onWeb(t, "ROB-POL-04/longer than a walk waits", map[string][]reply{
		"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
		"/1.xml":      {retryAfter(503, 7200, "")},
	}, func(t *testing.T, w *web) {
		_, errs := w.sitemaps(robotsext.Options{})
		w.wantSent("0 /robots.txt", "2 /1.xml")
		w.after(0, 10*time.Second)
		want := w.start.Add(7203 * time.Second)
		text := want.UTC().Format(time.RFC3339)
		if wantErrors(t, errs, text, text); len(w.files) != 2 || w.files[1].Attempts != 0 || !w.files[0].RetryAt.Equal(want) {
			t.Errorf("files %+v", w.files)
		}
	})
}
