package main

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

func TestScrape(t *testing.T) {
	site, err := demosite.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	scrape(site.Origin("library"))

	only := 0
	for _, r := range site.Requests() {
		if strings.HasPrefix(r.URI, "/only-in-sitemap/") && r.Status == 200 {
			only++
		}
	}
	if only != 10 {
		t.Errorf("%d of the 10 pages that only the sitemaps list were scraped", only)
	}
	for _, v := range site.Judge(0, "examplebot").Violations {
		if v.Kind == demosite.Forbidden || v.Kind == demosite.BeforeRobots {
			t.Errorf("violation: %v", v)
		}
	}
}
