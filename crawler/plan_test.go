package crawler

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/internal/forecast"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// mapped is a site with a sitemap of n pages. Every tenth is disallowed.
func mapped(t *testing.T, n int) *site {
	var list strings.Builder
	for i := range n {
		if i%10 == 0 {
			fmt.Fprintf(&list, "{site}/private/%d\n", i)
		} else {
			fmt.Fprintf(&list, "{site}/p/%d\n", i)
		}
	}
	return newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\nUser-agent: *\nDisallow: /private/\nCrawl-delay: 2\n",
		"/map.txt":    list.String() + "{site}/p/1\nhttp://elsewhere.invalid/x\n",
		"/":           `<a href="/linked">not in the plan</a>`,
	})
}

// A plan describes the crawl of a site, with its limits. The site gets one request for robots.txt
// and one for the sitemap, and none for pages.
func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(*Config)
		pages    int
		beyond   int
		end      End
		rejected map[output.Reason]int
		takes    time.Duration // about
	}{
		{"as it is", func(*Config) {}, 91, 0, EndFinished, map[output.Reason]int{output.Disallowed: 10, output.NotAuthorized: 1}, 92 * 2 * time.Second},
		{"ROB-EXT-01/a cap", func(c *Config) { c.Politeness.MaxCrawlDelay = time.Second }, 91, 0, EndFinished, map[output.Reason]int{output.Disallowed: 10, output.NotAuthorized: 1}, 92 * time.Second},
		{"max-pages", func(c *Config) { c.Limits.MaxPages = 20 }, 20, 71, EndMaxPages, map[output.Reason]int{output.Disallowed: 10, output.NotAuthorized: 1}, 21 * 2 * time.Second},
		{"max-host-pages", func(c *Config) { c.Limits.MaxHostPages = 20 }, 20, 0, EndFinished, map[output.Reason]int{output.Disallowed: 10, output.NotAuthorized: 1, output.MaxHostPages: 71}, 21 * 2 * time.Second},
		{"max-time", func(c *Config) { c.Limits.MaxTime = 61 * time.Second }, 29, 62, EndMaxTime, map[output.Reason]int{output.Disallowed: 10, output.NotAuthorized: 1}, 61 * time.Second},
	} {
		t.Run(tt.name, bubbled(func(t *testing.T) {
			s := mapped(t, 100)
			cfg := testConfig(t, s.url)
			tt.change(&cfg)
			// The sitemap would have to be waited for 2 s, or the cap.
			cfg.Limits.MaxWait = time.Minute
			_, plan := makePlan(t, cfg, nil)
			var asked []string
			for _, r := range s.requests() {
				asked = append(asked, r.uri)
			}
			if diff := cmp.Diff([]string{"/robots.txt", "/map.txt"}, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rejected, plan.Rejected); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if plan.End != EndFinished || plan.CrawlEnd != tt.end || plan.Pages != tt.pages || plan.PagesBeyondLimit != tt.beyond ||
				plan.URLs != 102 || plan.Entries != 102 || plan.Requests != tt.pages+2 {
				t.Errorf("%+v", plan)
			}
			if took := time.Duration(plan.CrawlDuration); took < tt.takes-3*time.Second || took > tt.takes+3*time.Second {
				t.Errorf("it takes %v, want about %v", took, tt.takes)
			}
			if d := plan.Disallowed; len(d) != 1 || d[0].URLs != 10 || d[0].Line != 3 || d[0].Rule != "Disallow: /private/" || len(d[0].Examples) != 3 {
				t.Errorf("disallowed: %+v", d)
			}
			if _, err := os.Stat(cfg.Output.Dir); err == nil {
				t.Errorf("%s was written", cfg.Output.Dir)
			}
		}))
	}
}

// A plan reports an unreachable robots.txt; the URLs of its host are robots-unreachable.
func TestPlanUnreachable(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/robots.txt", status(http.StatusServiceUnavailable))
	cfg := testConfig(t, s.url+"/a", s.url+"/b")
	cfg.Robots.Retry = time.Hour
	_, plan := makePlan(t, cfg, nil)
	if plan.End != EndDeferred || plan.CrawlEnd != EndDeferred || plan.Pages != 0 || plan.Rejected[output.RobotsUnreachable] != 2 {
		t.Errorf("%+v", plan)
	}
	if h := plan.Origins[0]; h.Robots != "unreachable" || h.RobotsStatus != http.StatusServiceUnavailable || h.RetryAt.Before(time.Now()) {
		t.Errorf("%+v", h)
	}
	if diff := cmp.Diff([]string(nil), s.asked()); diff != "" {
		t.Errorf("asked for: %s", diff)
	}
}

// When the context ends, planning is aborted, and the plan has the results so far.
func TestPlanInterrupted(t *testing.T) {
	asked := make(chan struct{})
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\n"})
	s.handle("/map.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "http://%s/p\n", r.Host)
		_ = http.NewResponseController(w).Flush()
		close(asked)
		<-r.Context().Done()
	})
	p, err := NewPlanner(testConfig(t, s.url), nil)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		if at, err := p.Status(); err != nil || at.Hosts != 1 || at.SitemapsRemaining != 1 {
			t.Errorf("while the sitemap is read: %+v, %v", at, err)
		}
		cancel()
	}()
	plan, err := p.Run(ctx)
	if at, err := p.Status(); err == nil {
		t.Errorf("status of a plan that is made: %+v", at)
	}
	if err != nil || plan.End != EndInterrupted || plan.URLs == 0 || plan.Robots != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	if f := fileOf(plan, s.url+"/map.txt"); f == nil || f.Unread == "" {
		t.Errorf("the sitemap that was not read to its end is not said to be: %+v", plan.Files)
	}
}

// TestFrontierSize compares the predicted size of the frontier with a frontier on disk in which all
// URLs are done.
func TestFrontierSize(t *testing.T) {
	const urls = 2000
	dir := filepath.Join(t.TempDir(), "frontier")
	store, err := logstore.Open(dir, nil)
	must(t, err)
	var items []frontier.Item
	bytes := int64(0)
	for i := range urls {
		url := fmt.Sprintf("https://www.example.com/products/category-%d/item-%08d", i%50, i*7919)
		items, bytes = append(items, frontier.Item{URL: url}), bytes+int64(len(url))
	}
	for batch := range slices.Chunk(items, 500) {
		if _, err := store.Add(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	validators := &frontier.Validators{ETag: `"0123456789abcdef0123456789abcdef"`, BodyHash: make([]byte, 17)}
	checkpoint := make([]byte, 160)
	for range urls {
		leases, err := store.Lease(t.Context(), frontier.LeaseRequest{Max: 1})
		if err != nil || len(leases) != 1 {
			t.Fatalf("%d leases, %v", len(leases), err)
		}
		outcome := frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done, HostDelay: time.Nanosecond, Validators: validators}
		if errs, err := store.Finish(t.Context(), []frontier.Outcome{outcome}, checkpoint); err != nil || errs[0] != nil {
			t.Fatalf("%v, %v", errs, err)
		}
	}
	must(t, store.Close())
	size := int64(0)
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			size += info.Size()
		}
		return err
	})
	must(t, err)
	if want := forecast.FrontierBytes(urls, bytes); size > want || size < want*3/4 {
		t.Errorf("%d bytes, foretold %d", size, want)
	}
}

// makePlan returns a complete plan.
func makePlan(t *testing.T, cfg Config, opts *Options) (*Planner, *plan.Plan) {
	t.Helper()
	p, err := NewPlanner(cfg, connected(t, &cfg, opts))
	must(t, err)
	plan, err := p.Run(t.Context())
	must(t, err)
	return p, plan
}

// The plan of the demo site predicts a crawl that follows no links: fetched and skipped URLs,
// reasons and rules. The site checks the requests of the plan and their delays.
func TestPlanOfTheDemoSite(t *testing.T) {
	t.Parallel()
	site := startDemoSite(t, 10*time.Millisecond)
	cfg := testConfig(t, site.StartURLs()...)
	cfg.Sitemaps.Only, cfg.Fetch.Retries = true, 1
	cfg.Politeness.Delay, cfg.Robots.Retry, cfg.Limits.MaxWait = 5*time.Millisecond, time.Second, time.Minute
	_, plan := makePlan(t, cfg, nil)

	report := site.Judge(cfg.Politeness.Delay, "politecrawl")
	for _, v := range slices.Concat(report.Violations, report.Warnings) {
		t.Errorf("violation: %v", v)
	}
	if report.Pages > 0 || report.Requests == 0 {
		t.Errorf("%d pages were asked for, in %d requests", report.Pages, report.Requests)
	}
	made := 0
	for _, h := range slices.Concat(plan.Origins, plan.Others) {
		made += h.Requests - h.Pages
	}
	if made != report.Requests || plan.Requests != made+plan.Pages || plan.Sitemaps != report.SitemapsRead {
		t.Errorf("the site saw %+v, the plan says %+v", report, plan)
	}

	got := runCrawl(t, cfg, nil)
	fetched := make(map[string]int) // pages of each origin
	for _, page := range got.pages {
		fetched[string(weburl.OriginOf(page.URL))]++
	}
	for _, h := range slices.Concat(plan.Origins, plan.Others) {
		if h.Pages != fetched[h.Origin] {
			t.Errorf("%s: %d pages foretold, %d fetched", h.Origin, h.Pages, fetched[h.Origin])
		}
	}
	if len(got.pages) != plan.Pages || plan.Pages < 40 {
		t.Errorf("%d pages foretold, %d fetched", plan.Pages, len(got.pages))
	}
	files := map[string]output.Sitemap{}
	for _, f := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
		files[f.Origin+" "+f.URL] = f
	}
	for _, f := range plan.Files {
		if c, ok := files[f.Origin+" "+f.URL]; !ok || c.Status != f.Status || c.Pages != f.Pages || c.Sitemaps != f.Sitemaps {
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
		t.Errorf("skipped (-crawl +plan):\n%s", diff)
	}
	planned := map[line]int{}
	for _, r := range plan.Disallowed {
		planned[line{r.RobotsURL, r.Group, r.Rule, r.Line}] += r.URLs
	}
	if diff := cmp.Diff(rules, planned); diff != "" {
		t.Errorf("disallowed by rule (-crawl +plan):\n%s", diff)
	}
}

// fileOf returns the entry of a plan for a sitemap file, or nil.
func fileOf(p *plan.Plan, url string) *plan.Sitemap {
	for _, f := range p.Files {
		if f.URL == url {
			return f
		}
	}
	return nil
}
