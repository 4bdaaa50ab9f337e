package crawler

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// makePlan plans to the end.
func makePlan(t *testing.T, cfg Config, opts *Options) (*Planner, *plan.Plan) {
	t.Helper()
	p, err := NewPlanner(cfg, opts)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, plan
}

// What the plan of the demo site says is what a crawl then does that follows no
// links: which URLs it fetches, which it leaves alone and why, by which rules. The
// site's own record says what the plan asked for, and at which pace.
func TestPlanOfTheDemoSite(t *testing.T) {
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	cfg := testConfig(t, site.StartURLs()...)
	cfg.Sitemaps.Only, cfg.Fetch.Retries = true, 1
	cfg.Politeness.Delay, cfg.Robots.Retry, cfg.Limits.MaxWait = 5*time.Millisecond, time.Second, time.Minute
	p, plan := makePlan(t, cfg, nil)

	report := site.Judge(cfg.Politeness.Delay, demosite.Token)
	for _, v := range slices.Concat(report.Violations, report.Advice) {
		t.Errorf("violation: %v", v)
	}
	if report.Pages > 0 || report.Requests == 0 {
		t.Errorf("%d pages were asked for, in %d requests", report.Pages, report.Requests)
	}
	made := 0
	for _, h := range slices.Concat(plan.Hosts, plan.Others) {
		made += h.Requests - h.Pages
	}
	if made != report.Requests || plan.Requests != made+plan.Pages || plan.Sitemaps != report.SitemapsRead {
		t.Errorf("the site saw %+v, the plan says %+v", report, plan)
	}

	got := run(t, cfg, nil)
	for _, page := range got.pages {
		if !p.census.IsTaken(page.URL) {
			t.Errorf("fetched, and not foretold: %s", page.URL)
		}
	}
	if len(got.pages) != plan.Pages || plan.Pages < 40 {
		t.Errorf("%d pages foretold, %d fetched", plan.Pages, len(got.pages))
	}
	files := map[string]output.Sitemap{}
	for _, f := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
		files[f.Host+" "+f.URL] = f
	}
	for _, f := range plan.Files {
		if c, ok := files[f.Host+" "+f.URL]; !ok || c.Status != f.Status || c.Pages != f.Pages || c.Sitemaps != f.Sitemaps {
			t.Errorf("the plan says of a sitemap %+v, the crawl %+v", *f, c)
		}
	}
	if len(files) != len(plan.Files) || plan.Sitemaps != got.Sitemaps || plan.Entries != got.Entries || plan.Robots < got.Robots {
		t.Errorf("the plan is %+v, the crawl's summary %+v", plan, got.Summary)
	}
	isFile := func(url string) bool {
		return fileOf(plan, url) != nil
	}
	type line struct {
		robots, group, rule string
		number              int
	}
	rejected, rules := map[output.Reason]int{}, map[line]int{}
	for _, r := range got.rejected {
		if isFile(r.URL) {
			continue
		}
		rejected[r.Reason]++
		if r.Reason == output.Disallowed {
			rules[line{r.RobotsURL, r.Group, r.Rule, r.Line}]++
		}
	}
	if diff := cmp.Diff(rejected, plan.Rejected); diff != "" || len(rejected) < 2 {
		t.Errorf("left alone (-crawl +plan):\n%s", diff)
	}
	planned := map[line]int{}
	for _, r := range plan.Disallowed {
		planned[line{r.RobotsURL, r.Group, r.Rule, r.Line}] += r.URLs
	}
	if diff := cmp.Diff(rules, planned); diff != "" {
		t.Errorf("disallowed by rule (-crawl +plan):\n%s", diff)
	}
}

// fileOf returns what a plan says of a sitemap file; nil: nothing.
func fileOf(p *plan.Plan, url string) *plan.Sitemap {
	for _, f := range p.Files {
		if f.URL == url {
			return f
		}
	}
	return nil
}
