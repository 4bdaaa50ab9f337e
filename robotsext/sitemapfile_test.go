package robotsext_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// What is known of each file is data for the caller.
func TestSitemapFiles(t *testing.T) {
	serve := map[string][]reply{
		"/robots.txt": {{status: 200, body: "Sitemap: " + siteA + "/index.xml\nSitemap: " + siteA + "/closed.xml\nUser-agent: *\nDisallow: /closed"}},
		"/index.xml":  ok(index(siteA+"/1.xml.gz", siteA+"/gone.xml", "http://b.example/2.xml")),
		"/1.xml.gz":   ok(string(zip([]byte(urlset(siteA+"/a", "http://b.example/b", siteA+"/c"))))),
	}
	onWeb(t, "ROB-SMP-20/all", serve, func(t *testing.T, w *web) {
		pages, errs := w.sitemaps(robotsext.Options{})
		files := w.files
		wantPages(t, pages, "/a", "/c")
		if len(errs) != 3 || !errors.Is(errs[0], robotsext.ErrSitemapRefused) || len(files) != 5 {
			t.Fatalf("errors %v, files %+v", errs, files)
		}
		for i, want := range []robotsext.SitemapFile{
			{URL: "http://b.example/2.xml", FoundOn: siteA + "/index.xml", Err: files[0].Err},
			{URL: siteA + "/index.xml", FoundOn: siteA + "/robots.txt", Attempts: 1, Status: 200, NotAuthorized: 1},
			{URL: siteA + "/1.xml.gz", FoundOn: siteA + "/index.xml", Attempts: 1, Status: 200, NotAuthorized: 1},
			{URL: siteA + "/gone.xml", FoundOn: siteA + "/index.xml", Attempts: 1, Status: 404, Err: files[3].Err},
			{URL: siteA + "/closed.xml", FoundOn: siteA + "/robots.txt", Err: files[4].Err},
		} {
			got := files[i]
			if s := got.Summary; s.Complete != (want.Status == 200) || i == 2 && (s.Entries != 3 || s.GzipLayers != 1 || s.Format != sitemap.URLSet) {
				t.Errorf("%s: summary %+v", want.URL, s)
			}
			if got.Summary = (sitemap.Summary{}); got != want || (got.Err == nil) != (want.Status == 200) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
		wantDisallowed(t, files[4].Err, 4)
	})
	onWeb(t, "left half-way", serve, func(t *testing.T, w *web) {
		for entry, err := range w.robots(robotsext.Options{}).Sitemaps(t.Context(), rootA) {
			if errors.Is(err, robotsext.ErrSitemapRefused) {
				continue
			}
			if err != nil || entry.Index != 0 || entry.File != siteA+"/1.xml.gz" {
				t.Errorf("entry %+v, error %v", entry, err)
			}
			break
		}
		w.wantSent("0 /robots.txt", "2 /index.xml", "3 http://b.example/robots.txt", "4 /1.xml.gz")
		if len(w.files) != 3 || w.files[2].Err != nil || w.files[2].Summary.Complete || w.files[2].Summary.Entries != 1 {
			t.Errorf("files %+v", w.files)
		}
	})
	walk{
		name: "context ends while waiting",
		answers: map[string][]reply{
			"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
			"/1.xml":      {{status: 500}},
			"/2.xml":      {{status: 500}},
		},
		timeout: 30 * time.Second,
		errs:    []string{context.DeadlineExceeded.Error()},
		sent:    []string{"0 /robots.txt", "2 /1.xml", "4 /2.xml"},
	}.run(t)
	walk{
		name:    "context ends before a turn",
		answers: map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml")},
		opts:    robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: time.Minute}},
		timeout: 5 * time.Second,
		errs:    []string{context.DeadlineExceeded.Error()},
		sent:    []string{"0 /robots.txt"},
	}.run(t)
	onWeb(t, "context ends between entries", map[string][]reply{
		"/robots.txt": robotsListing(siteA+"/1.xml", siteA+"/2.xml"),
		"/1.xml":      ok(urlset(siteA+"/a", siteA+"/b")),
	}, func(t *testing.T, w *web) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var pages []string
		var errs []error
		for entry, err := range w.robots(robotsext.Options{}).Sitemaps(ctx, rootA) {
			synctest.Wait() // all is received
			cancel()
			if err != nil {
				errs = append(errs, err)
				continue
			}
			pages = append(pages, entry.Loc)
		}
		w.wantSent("0 /robots.txt", "2 /1.xml")
		if wantPages(t, pages, "/a"); len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
			t.Errorf("errors %v", errs)
		}
	})
}

func TestProbeSitemap(t *testing.T) {
	for _, test := range []struct {
		name   string
		robots reply
		answer reply
		pages  int
		sent   bool
		errs   int
	}{
		{"there", reply{status: 200}, ok(urlset(siteA + "/a"))[0], 1, true, 0},
		{"no robots.txt", reply{status: 404}, ok(urlset(siteA + "/a"))[0], 1, true, 0},
		{"not there", reply{status: 200}, reply{status: 404}, 0, true, 0},
		{"not there, says a page", reply{status: 200}, reply{status: 200, body: "<!doctype html><title>oops</title>"}, 0, true, 0},
		{"broken", reply{status: 200}, reply{status: 200, body: strings.TrimSuffix(urlset(siteA+"/a"), "</urlset>")}, 1, true, 1},
		{"disallowed", reply{status: 200, body: "User-agent: *\nDisallow: /sitemap"}, ok(urlset(siteA + "/a"))[0], 0, false, 0},
		{"another is listed", robotsListing(siteA + "/other.xml")[0], ok(urlset(siteA + "/a"))[0], 0, false, 1},
	} {
		onWeb(t, "ROB-SMP-10/"+test.name, map[string][]reply{"/robots.txt": {test.robots}, "/sitemap.xml": {test.answer}}, func(t *testing.T, w *web) {
			pages, errs := w.sitemaps(robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1, Probe: true}})
			if len(pages) != test.pages || len(errs) != test.errs {
				t.Errorf("pages %q, errors %v", pages, errs)
			}
			if sent := slices.Contains(w.sent, "1 /sitemap.xml"); sent != test.sent {
				t.Errorf("sent %q", w.sent)
			}
		})
	}
	walk{name: "ROB-SMP-10/default", answers: map[string][]reply{"/sitemap.xml": ok(urlset(siteA + "/a"))}, sent: []string{"0 /robots.txt"}}.run(t)
}

// A file that the caller knows of counts as listed by its own origin.
func TestSitemap(t *testing.T) {
	answers := map[string][]reply{
		"/robots.txt":   {{status: 200, body: "User-agent: *\nDisallow: /closed"}},
		"/d/index.xml":  ok(index(siteA+"/d/1.xml", "http://b.example/2.xml")),
		"/d/1.xml":      ok(urlset(siteA+"/d/a", siteA+"/b", "http://b.example/c")),
		"/closed/1.xml": ok(urlset(siteA + "/x")),
	}
	refused := "http://b.example/2.xml: " + robotsext.ErrSitemapRefused.Error()
	sent := []string{"0 /robots.txt", "2 /d/index.xml", "3 http://b.example/robots.txt", "4 /d/1.xml"}
	for _, test := range []walk{
		{name: "ROB-SMP-18", file: "http://user:secret@a.example/d/index.xml#x", pages: []string{"/d/a", "/b"}, errs: []string{refused}, sent: sent},
		{
			name: "ROB-SMP-19", file: siteA + "/d/index.xml", opts: robotsext.Options{Sitemaps: robotsext.SitemapOptions{Policy: sitemap.Directory}},
			pages: []string{"/d/a"}, errs: []string{"http://b.example/2.xml: "}, sent: []string{"0 /robots.txt", "2 /d/index.xml", "4 /d/1.xml"},
		},
		{name: "ROB-SMP-04", file: siteA + "/closed/1.xml", errs: []string{`is disallowed by "Disallow: /closed", line 2`}, sent: sent[:1]},
		{name: "no such scheme", file: "gopher://h/s.xml", errs: []string{`unsupported scheme "gopher"`}},
	} {
		test.answers = answers
		test.run(t)
	}
}

// Files of other schemes come by the fetcher for robots.txt.
func TestSitemapByFetcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		r := newRobots(t, &robotsext.Options{Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"ftp": func(_ context.Context, u *url.URL) (io.ReadCloser, error) {
			switch u.Path {
			case "/robots.txt":
				return io.NopCloser(strings.NewReader("Sitemap: ftp://h/1.txt\nSitemap: ftp://h/gone.txt\nSitemap: ftp://h/closed\nUser-agent: *\nDisallow: /closed")), nil
			case "/1.txt":
				if tries++; tries == 1 {
					return nil, errors.New("450 busy")
				}
				return io.NopCloser(strings.NewReader("ftp://h/a\nftp://h/b\n")), nil
			}
			return nil, fs.ErrNotExist
		}}}})
		pages, errs := gather(r.Sitemaps(t.Context(), mustParse(t, "ftp://h/")))
		if !slices.Equal(pages, []string{"ftp://h/a", "ftp://h/b"}) || len(errs) != 2 || !errors.Is(errs[0], fs.ErrNotExist) {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
		wantDisallowed(t, errs[1], 5)
		if tries != 2 {
			t.Errorf("%d tries", tries)
		}
	})
}

func TestSitemapErrorText(t *testing.T) {
	err := &robotsext.SitemapError{SitemapFile: robotsext.SitemapFile{URL: "u", RetryAt: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), Err: io.EOF}}
	again := &robotsext.SitemapError{SitemapFile: robotsext.SitemapFile{URL: "u", Err: errors.New("status 404")}}
	if got := again.Error(); got != "sitemap u: status 404" {
		t.Error(got)
	}
	if want := "sitemap u: EOF; retry after 2026-10-01T00:00:00Z"; err.Error() != want || !errors.Is(err, io.EOF) {
		t.Errorf("%q", err)
	}
}
