package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// The site checks order, delay and disallowed URLs.
func TestCrawlIsPolite(t *testing.T) {
	const delay = 10 * time.Millisecond
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 10 * time.Millisecond}) // twice that for examplebot
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	if err := crawl(t.Context(), site.StartURLs(), delay); err != nil {
		t.Fatal(err)
	}
	report := site.Judge(delay, "examplebot")
	for _, v := range report.Violations {
		t.Error(v)
	}
	for _, v := range report.Warnings {
		if v.Kind != "behind nofollow" { // the example ignores nofollow
			t.Error(v)
		}
	}
	// Only a redirect on another host points there.
	if want := []string{site.Origin("sitemaps") + "/only-by-redirect"}; !slices.Equal(report.Missing, want) {
		t.Errorf("not requested: %q, want %q", report.Missing, want)
	}
}

// robots.txt comes first, then its sitemaps, then the pages in the order in which they
// were found. A page that fails is requested again, a limited number of times.
func TestRequestsInOrder(t *testing.T) {
	const delay = 10 * time.Millisecond
	var mu sync.Mutex
	var asked []string
	var ended time.Time
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if since := time.Since(ended); since < delay {
			t.Errorf("%s came %v after the request before", r.URL, since)
		}
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "User-agent: *\nDisallow: /private\nSitemap: http://%s/sitemap.txt", r.Host)
		case "/sitemap.txt":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "http://%s/listed\nhttp://%[1]s/private/listed", r.Host)
		case "/":
			fmt.Fprint(w, `<a href="/b">b</a> <a href="a#x">a</a> <a href="/private">no</a> <a href="http://elsewhere.test/">far</a>`)
		case "/b":
			w.Header().Set("Location", "/private/moved")
			w.WriteHeader(http.StatusFound)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		case "/a":
			fmt.Fprint(w, `<a href="/">home</a> <a href="/broken">broken</a>`)
		}
		ended = time.Now()
	}))
	defer site.Close()
	if err := crawl(t.Context(), []string{site.URL}, delay); err != nil {
		t.Fatal(err)
	}
	want := []string{"/robots.txt", "/sitemap.txt", "/", "/listed", "/b", "/a", "/broken", "/broken", "/broken", "/broken", "/broken"}
	if !slices.Equal(asked, want) {
		t.Errorf("requests for %q, want %q", asked, want)
	}
}
