package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// The example prints exactly the pages with an error status.
func TestCrawl(t *testing.T) {
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Politeness.Delay, cfg.Politeness.ResponseFactor, cfg.Robots.Retry, cfg.Fetch.Retries = site.StartURLs(), 0, 0, time.Second, 1
	var out bytes.Buffer
	if err := crawl(cfg, &out); err != nil {
		t.Fatal(err)
	}
	failing := site.Origin("norobots")
	want := []string{"404 " + failing + "/missing", "410 " + failing + "/gone", "500 " + failing + "/broken"}
	var got []string
	for line := range strings.Lines(out.String()) {
		broken, via, ok := strings.Cut(strings.TrimSpace(line), " on ")
		if !ok || !strings.HasPrefix(via, "http://127.0.0.") {
			t.Errorf("printed: %q", line)
		}
		got = append(got, broken)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +printed):\n%s", diff)
	}
}
