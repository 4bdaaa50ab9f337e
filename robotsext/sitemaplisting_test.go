package robotsext_test

import (
	"fmt"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A site behind a redirect: b.example has the pages, a.example is the host that people type.
func TestSitemapsBehindRedirects(t *testing.T) {
	const (
		b      = "http://b.example"
		robots = b + "/robots.txt"
		file   = b + "/sm/sitemap.xml"
	)
	entries := ok(urlset(b+"/x", b+"/y"))
	pages := []string{b + "/x", b + "/y"}
	for _, test := range []walk{
		{
			name: "ROB-SMP-25/everything is redirected",
			answers: map[string][]reply{
				"/robots.txt": {redirect(robots)}, robots: robotsListing(file), file: entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 " + robots, "2 " + robots, "3 " + file},
		},
		{
			name: "ROB-SMP-25/both hosts list it",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(file), robots: robotsListing(file), file: entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 " + robots, "2 " + file},
		},
		{
			name: "ROB-SMP-25/both hosts list the one that redirects",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/map.xml"), robots: robotsListing(siteA + "/map.xml"),
				"/map.xml": {redirect(file)}, file: entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 /map.xml", "2 " + robots, "3 " + file},
		},
		{
			name: "ROB-SMP-25/both URLs of a file are listed",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA+"/map.xml", file), robots: robotsListing(siteA + "/map.xml"),
				"/map.xml": {redirect(file)}, file: entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 /map.xml", "2 " + robots, "3 " + file},
		},
		{
			name: "ROB-SMP-25/a file of the host without pages",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/sm/map.xml"), robots: robotsListing(siteA + "/sm/map.xml"),
				"/sm/map.xml": entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 /sm/map.xml", "2 " + robots},
		},
		{
			name: "ROB-SMP-25/an index whose redirect ends at other children",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/index.xml"), robots: robotsListing(b + "/index.xml"),
				"/index.xml": {redirect(b + "/index.xml")}, b + "/index.xml": ok(index(file)), file: entries,
			},
			pages: pages,
			sent:  []string{"0 /robots.txt", "1 /index.xml", "2 " + robots, "3 " + b + "/index.xml", "4 " + file},
		},
		{
			name: "ROB-SMP-25/judged by the end of its redirects",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/map.xml"), robots: ok("User-agent: *\nDisallow:\n"),
				"/map.xml": {redirect(file)}, file: ok(urlset(b+"/x", b+"/sm/y", siteA+"/z")),
			},
			pages: []string{b + "/sm/y", "/z"},
			sent:  []string{"0 /robots.txt", "1 /map.xml", "2 " + robots, "3 " + file},
		},
		{
			name: "ROB-SMP-25/a robots.txt that redirects elsewhere is not that of the target",
			answers: map[string][]reply{
				"/robots.txt": {redirect(b + "/a/robots.txt")}, b + "/a/robots.txt": robotsListing("http://c.example/map.xml"), robots: ok("User-agent: *\nDisallow:\n"),
				"http://c.example/map.xml": ok(urlset(b + "/x")),
			},
			errs: []string{"http://c.example/map.xml: " + robotsext.ErrSitemapUseless.Error() + `: line 1: the sitemap is not authorized to list this URL, entry skipped: "http://b.example/x": http://b.example/robots.txt does not list the sitemap`},
			sent: []string{"0 /robots.txt", "1 " + b + "/a/robots.txt", "2 http://c.example/robots.txt", "2 http://c.example/map.xml", "3 " + robots},
		},
		{
			name: "ROB-SMP-25/a robots.txt that redirects to that of the target counts for a sitemap elsewhere",
			answers: map[string][]reply{
				"/robots.txt": {redirect(robots)}, robots: robotsListing("http://c.example/map.xml"),
				"http://c.example/map.xml": ok(urlset(b + "/x")),
			},
			pages: []string{b + "/x"},
			sent:  []string{"0 /robots.txt", "1 " + robots, "2 http://c.example/robots.txt", "2 http://c.example/map.xml"},
		},
		{
			name: "ROB-SMP-28/an index of another scheme",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/index.xml"), "https://a.example/robots.txt": robotsListing("https://a.example/1.xml"),
				"/index.xml":              ok(index("https://a.example/2.xml", "https://a.example/1.xml")),
				"https://a.example/1.xml": ok(urlset("https://a.example/x")),
			},
			pages: []string{"https://a.example/x"},
			errs:  []string{"sitemap https://a.example/2.xml: " + robotsext.ErrSitemapRefused.Error() + ": https://a.example/robots.txt does not list the sitemap"},
			sent:  []string{"0 /robots.txt", "1 /index.xml", "2 https://a.example/robots.txt", "3 https://a.example/1.xml"},
		},
		{
			name: "ROB-SMP-28/a redirect to an index above",
			answers: map[string][]reply{
				"/robots.txt": robotsListing(siteA + "/index.xml"),
				"/index.xml":  ok(index(siteA + "/1.xml")), "/1.xml": {redirect("/index.xml")},
			},
			errs: []string{"/1.xml: no entry of the sitemap counts: it redirects: the index lists itself or an index that lists it: \"http://a.example/index.xml\""},
			sent: []string{"0 /robots.txt", "1 /index.xml", "2 /1.xml"},
		},
	} {
		test.opts = noDelay
		test.run(t)
	}
}

// A sitemap may name any number of hosts; few of them are requested.
func TestSitemapOfManyOrigins(t *testing.T) {
	var urls []string
	for i := range 100 {
		urls = append(urls, fmt.Sprintf("http://%d.example/", i))
	}
	onWeb(t, "ROB-SMP-25", map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(urlset(urls...))}, func(t *testing.T, w *web) {
		pages, errs := w.sitemaps(noDelay)
		wantPages(t, pages)
		wantErrors(t, errs, robotsext.ErrSitemapUseless.Error())
		if n := len(w.sent); n != 12 {
			t.Errorf("ROB-SMP-25: %d requests, want those for robots.txt, the sitemap, and 10 for the robots.txt of its entries", n)
		}
	})
}

// The robots.txt of another origin is requested only for a sitemap that would list nothing without it. What is
// known counts without a request.
func TestEntriesOfUnknownOrigins(t *testing.T) {
	const robots = "http://b.example/robots.txt"
	for name, first := range map[string]bool{"ROB-SMP-25/unknown": false, "ROB-SMP-25/known": true} {
		onWeb(t, name, map[string][]reply{
			"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(urlset("http://b.example/x", siteA+"/y", "http://b.example/z")), robots: robotsListing(siteA + "/1.xml"),
		}, func(t *testing.T, w *web) {
			r := w.robots(noDelay)
			want, sent := []string{"/y"}, []string{"0 /robots.txt", "1 /1.xml"}
			if first {
				recordFor(t, r, mustParse(t, "http://b.example/"))
				want, sent = []string{"http://b.example/x", "/y", "http://b.example/z"}, []string{"0 " + robots, "1 /robots.txt", "2 /1.xml"}
			}
			pages, errs := gather(r.Sitemaps(t.Context(), rootA))
			wantPages(t, pages, want...)
			wantErrors(t, errs)
			w.wantSent(sent...)
		})
	}
}
