package crawler

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
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
			site := startDemoSite(t, 10*time.Millisecond)
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
	want := wantFound(t, site, cfg, token, report)
	robots := 0
	for _, n := range want.Robots {
		robots += n
	}
	if got.End != EndFinished || got.Left != 0 || got.Pages != len(want.Pages) || got.Robots != robots {
		t.Errorf("summary %+v, want %d pages and %d robots.txt", *got.Summary, len(want.Pages), robots)
	}
	t.Logf("%d requests in %v", report.Requests, got.Took)
}

// wantFound holds that a crawl of the demo site requested and wrote what it should, and returns
// what that is.
func wantFound(t *testing.T, site *demosite.Site, cfg Config, token string, report demosite.Report) demosite.Expectation {
	t.Helper()
	for _, url := range report.Missing {
		t.Errorf("not requested: %s", url)
	}
	want := site.Expected(token)
	var pages, rejected, wantRejected []string
	for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
		pages = append(pages, demosite.CanonicalURL(p.URL))
	}
	for _, r := range readOutput[output.Rejection](t, cfg, "rejected.jsonl") {
		rejected = append(rejected, fmt.Sprintln(demosite.CanonicalURL(r.URL), r.Reason, r.Rule, r.Line))
	}
	for _, r := range want.Rejected {
		wantRejected = append(wantRejected, fmt.Sprintln(r.URL, r.Reason, r.Rule, r.Line))
	}
	if diff := cmp.Diff(want.Pages, sorted(pages)); diff != "" {
		t.Errorf("pages.jsonl (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(sorted(wantRejected), sorted(rejected)); diff != "" {
		t.Errorf("rejected.jsonl (-want +got):\n%s", diff)
	}
	return want
}

// startDemoSite starts the demo site, and ends it with the test.
func startDemoSite(t *testing.T, crawlDelay time.Duration) *demosite.Site {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{CrawlDelay: crawlDelay})
	must(t, err)
	t.Cleanup(func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	return site
}
