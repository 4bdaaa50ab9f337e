package main

import (
	"io"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/robotsext"
)

// The site checks the requests, and their Crawl-delay.
func TestScrape(t *testing.T) {
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 10 * time.Millisecond}) // twice that for examplebot
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	// The delay between sitemaps is the Crawl-delay instead of a second.
	if err := scrape(site.Origin("sitemaps"), &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}); err != nil {
		t.Fatal(err)
	}
	report := site.Judge(0, "examplebot")
	for _, v := range append(report.Violations, report.Warnings...) {
		t.Error(v)
	}
	if report.Sitemaps != 5 {
		t.Errorf("%d sitemaps were asked for, not the 5 that may be", report.Sitemaps)
	}
	for _, url := range report.Missing {
		if strings.HasPrefix(url, site.Origin("sitemaps")+"/only-in-sitemap/") {
			t.Errorf("a page that only the sitemaps list was not scraped: %s", url)
		}
	}
}
