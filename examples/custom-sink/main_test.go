package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// The example prints exactly the pages with an error status, as recorded by the site.
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
	pages := site.Expected(demosite.Token).Pages
	last := make(map[string]int) // the last status of each page
	for _, r := range site.Requests() {
		last[demosite.CanonicalURL(r.Origin+r.URI)] = r.Status
	}
	var want, got []string
	for _, url := range pages {
		if last[url] >= 400 {
			want = append(want, fmt.Sprint(last[url], " ", url))
		}
	}
	for line := range strings.Lines(out.String()) {
		broken, via, ok := strings.Cut(strings.TrimSpace(line), " on ")
		if !ok || !strings.HasPrefix(via, "http://127.0.0.") {
			t.Errorf("printed: %q", line)
		}
		status, url, _ := strings.Cut(broken, " ")
		got = append(got, status+" "+demosite.CanonicalURL(url))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("(-recorded +printed):\n%s", diff)
	}
}

func TestUnderSeventyLines(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n >= 70 {
		t.Errorf("main.go has %d lines", n)
	}
}
