package crawler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// The demo site knows by construction what a polite crawl does. What it saw, and
// nothing that the crawler believes it did, decides here.
func TestDemoSite(t *testing.T) {
	tests := []struct {
		name   string
		token  string
		change func(*Config)
	}{
		{"ROB-POL-01, ROB-POL-02: delay 20 ms", demosite.Token, func(c *Config) { c.Politeness.Delay = 20 * time.Millisecond }},
		{"no delay, one worker", demosite.Token, func(c *Config) { c.Limits.Workers = 1 }},
		{"under another name", "OtherBot", func(c *Config) { c.Fetch.UserAgent = "OtherBot/1.0" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site, err := demosite.Start(&demosite.Options{CrawlDelay: 10 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := site.Close(); err != nil {
					t.Error(err)
				}
			}()
			cfg := testConfig(t, site.StartURLs()...)
			cfg.Robots.Retry, cfg.Limits.MaxWait, cfg.Fetch.Retries = time.Second, time.Minute, 3
			tt.change(&cfg)
			got := run(t, cfg, nil)
			judge(t, site, cfg, tt.token, got)
		})
	}
}

func judge(t *testing.T, site *demosite.Site, cfg Config, token string, got *crawl) {
	report := site.Judge(cfg.Politeness.Delay, token)
	for _, v := range slices.Concat(report.Violations, report.Advice) {
		t.Errorf("violation: %v", v)
	}
	for _, url := range report.Missing {
		t.Errorf("not requested: %s", url)
	}
	want := site.Expected(token)

	var pages []string
	for _, p := range got.pages {
		pages = append(pages, demosite.CanonicalURL(p.URL))
	}
	slices.Sort(pages)
	if diff := cmp.Diff(want.Pages, pages); diff != "" {
		t.Errorf("%s (-want +got):\n%s", "pages.jsonl", diff)
	}
	type line struct {
		URL, Reason, Rule string
		Line              int
	}
	var wantLines, gotLines []line
	for _, r := range want.Rejected {
		wantLines = append(wantLines, line{r.URL, string(r.Reason), r.Rule, r.Line})
	}
	for _, r := range got.rejected {
		gotLines = append(gotLines, line{demosite.CanonicalURL(r.URL), string(r.Reason), r.Rule, r.Line})
	}
	byURL := func(a, b line) int { return strings.Compare(a.URL, b.URL) }
	slices.SortFunc(wantLines, byURL)
	slices.SortFunc(gotLines, byURL)
	if diff := cmp.Diff(wantLines, gotLines); diff != "" {
		t.Errorf("%s (-want +got):\n%s", "rejected.jsonl", diff)
	}
	robots := 0
	for _, n := range want.Robots {
		robots += n
	}
	if got.End != EndFinished || got.Left != 0 || got.Pages != len(want.Pages) || got.Robots != robots {
		t.Errorf("summary %+v, want %d pages and %d robots.txt", *got.Summary, len(want.Pages), robots)
	}
	t.Logf("%d requests in %v", report.Requests, got.Took)
}
