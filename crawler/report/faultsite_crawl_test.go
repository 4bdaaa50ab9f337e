package report_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// config is a fast crawl of the site.
func (s *faultSite) config(t *testing.T) crawler.Config {
	t.Helper()
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir = []string{s.main + "/", s.bare + "/"}, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Robots.Retry, cfg.Fetch.Retries, cfg.Limits.MaxWait = 0, 20*time.Millisecond, 0, time.Second
	cfg.Fetch.Timeout, cfg.Robots.Timeout = 5*time.Second, 5*time.Second
	cfg.Scope.CleanParam = true
	return cfg
}

// crawl runs a crawl and makes its report.
func crawl(t *testing.T, cfg crawler.Config, opts *crawler.Options) *report.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := crawler.New(cfg, opts)
	if err == nil {
		_, err = c.Run(ctx)
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		t.Fatal(err)
	}
	r, err := report.Generate(t.Context(), []string{cfg.Output.Dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// short writes URLs of the main host as paths, and those of other hosts with their names.
func (s *faultSite) short(urls ...string) []string {
	names := strings.NewReplacer(s.main+"/", "/", s.bare, "bare:", s.foreign, "foreign:")
	list := []string{}
	for _, u := range urls {
		list = append(list, names.Replace(u))
	}
	slices.Sort(list)
	return list
}

// kindOf returns the ID of a rule of sitemaps without its topic.
func kindOf(f report.Findings) string { return strings.TrimPrefix(f.ID, "sitemap-") }

// found returns the URLs of each kind.
func (s *faultSite) found(r *report.Report) map[string][]string {
	kinds := make(map[string][]string)
	for _, k := range report.SitemapFindings(r) {
		var urls []string
		for _, row := range k.Rows {
			urls = append(urls, row.URL)
		}
		kinds[kindOf(k)] = s.short(urls...)
	}
	return kinds
}

// built returns the places of each kind.
func built() map[string][]string {
	kinds := map[string][]string{"not-authorized": {"foreign:/listed"}, "unreadable": {"/lost.xml"}, "incomplete": {}}
	for _, p := range places {
		for _, k := range p.kinds {
			kinds[k] = append(kinds[k], p.path)
		}
	}
	for k := range kinds {
		slices.Sort(kinds[k])
	}
	return kinds
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-built +found):\n%s", what, diff)
	}
}

// The site has a case of every fault. The report finds each and nothing else.
func TestReportFindsEveryFaultOfASite(t *testing.T) {
	s := startFaultSite(t)
	cfg := s.config(t)
	s.checkFaults(t, crawl(t, cfg, nil))
	t.Run("parts", func(t *testing.T) { wantSameOfParts(t, cfg.Output.Dir) })
	t.Run("URLs", func(t *testing.T) { wantTrueValues(t, cfg.Output.Dir) })
}

// Several workers of one crawl find what one worker finds.
func TestWorkersFindWhatOneDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a Redis server and three crawls")
	}
	s := startFaultSite(t)
	cfg := s.config(t)
	cfg.Sharing.Frontier, cfg.Sharing.CrawlName, cfg.Sharing.ExpectedURLs, cfg.Limits.Concurrency = redistest.Start(t).URL(), "faults", 10_000, 2
	dirs, errs := make([]string, 3), make([]error, 3)
	var work sync.WaitGroup
	for i := range dirs {
		cfg.Sharing.WorkerName, cfg.Output.Dir = fmt.Sprintf("w%d", i+1), filepath.Join(t.TempDir(), "crawl")
		started := make(chan struct{})
		start := sync.OnceFunc(func() { close(started) })
		c, err := crawler.New(cfg, &crawler.Options{OnStart: start})
		if err != nil {
			t.Fatal(err)
		}
		dirs[i] = cfg.Output.Dir
		work.Go(func() {
			defer start()
			_, errs[i] = c.Run(t.Context())
		})
		<-started
	}
	work.Wait()
	r, err := report.Generate(t.Context(), dirs, nil)
	if err := errors.Join(err, errors.Join(errs...)); err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) > 0 || slices.ContainsFunc(r.Workers, func(w report.Worker) bool { return w.State != report.Finished }) {
		t.Errorf("notes %q, workers %+v", r.Notes, r.Workers)
	}
	s.checkFaults(t, r)
	t.Run("URLs", func(t *testing.T) { wantTrueValues(t, dirs...) })
}

// checkFaults checks what the report of a complete crawl finds.
func (s *faultSite) checkFaults(t *testing.T, r *report.Report) {
	t.Run("reconciliation", func(t *testing.T) {
		equal(t, "kinds", built(), s.found(r))
		wantCaveats(t, r, false)
		for _, k := range report.SitemapFindings(r) {
			for _, row := range k.Rows {
				if (row.Related == "") != (kindOf(k) == "not-listed") {
					t.Errorf("%s: %s is listed in %q", kindOf(k), row.URL, row.Related)
				}
			}
		}
		equal(t, "inconclusive", []string{}, r.Sitemaps.Caveats)
		equal(t, "hosts without entries", []string{"bare:"}, s.short(r.Sitemaps.OriginsWithoutEntries.Rows...))
	})
	t.Run("redirects", func(t *testing.T) { s.checkRedirects(t, r) })
	t.Run("highlights", func(t *testing.T) {
		var got []string
		for _, h := range r.Highlights {
			got = append(got, strings.ReplaceAll(fmt.Sprint(h.Level, " ", h.Text), s.main, ""))
		}
		equal(t, "highlights", []string{
			"warning Pages with duplicate titles: 1",
			"info Pages without description: 22",
			"info Pages without h1: 22",
			"info 2 pages have the same content as another",
			"info 4 pages have robots directives in a header or meta element",
			"error 4 URLs are broken (status 4xx, 5xx or no response)",
			"error 2 pages link to the broken URL /gone",
			"error Links and assets with an invalid URL: 1",
			"warning Links to URLs that redirect permanently: 1",
			"info Links to URLs that redirect temporarily: 1",
			"error 1 redirect loop",
			"error 2 redirect chains end without a page",
			"warning 1 redirect chain has more than one redirect",
			"warning 1 temporary outage of a robots.txt",
			"info 3 robots.txt lines disallow URLs",
			"info most by “Disallow: /private/”, line 2 of /robots.txt: 3 URLs",
			"info Links to URLs that robots.txt disallows: 4",
			"error Sitemaps that cannot be read: 1",
			"error URLs in sitemaps that are broken: 3",
			"error URLs in sitemaps that redirect: 1",
			"error URLs in sitemaps that robots.txt disallows: 1",
			"error URLs in sitemaps with noindex: 2",
			"error URLs in sitemaps that name another canonical URL: 1",
			"error URLs that their sitemap is not authorized to list: 1",
			"error Sitemap entries with an invalid lastmod: 2",
			"warning URLs in sitemaps to which no page links: 2",
			"warning Indexable pages in no sitemap: 4",
			"info URLs in sitemaps that were not fetched: 1",
		}, got)
	})
	t.Run("skipped", func(t *testing.T) {
		want := map[output.Reason][]string{output.OutOfScope: {"foreign:/"}, output.NotAuthorized: {"foreign:/listed"}, output.InvalidURL: {"http://["}, output.Disallowed: {"bare:/shed/1", "bare:/shed/2", "bare:/shed/left/3"}}
		for _, p := range places {
			if p.reason != "" {
				want[p.reason] = append(want[p.reason], p.path)
			}
		}
		for _, g := range r.Rejected.Reasons {
			var got []string
			for _, row := range g.URLs.Rows {
				got = append(got, row.URL)
			}
			equal(t, string(g.Reason), s.short(want[g.Reason]...), s.short(got...))
		}
		equal(t, "line of robots.txt", "Disallow: /private/ # for members", r.Rejected.Rules.Rows[0].Text)
	})
	t.Run("robots", func(t *testing.T) {
		bare, main := r.Robots.Origins.Rows[0], r.Robots.Origins.Rows[1] // the one with the outage first
		outage := bare.Outages.Rows[0]
		if outage.Status != http.StatusServiceUnavailable || outage.Attempts != 1 || outage.EndedAt.Sub(outage.StartedAt) < 20*time.Millisecond {
			t.Errorf("outage %+v", outage)
		}
		of := func(h report.RobotsOrigin) string {
			return fmt.Sprint(h.Group, ": fetches ", h.Fetches, " disallowed ", h.Disallowed, " rules ", h.Rules, " sitemaps ", h.Sitemaps, " chain ", len(h.Chain))
		}
		equal(t, "bare and main", []string{
			"politecrawl: fetches 2 disallowed 3 rules 2 sitemaps 0 chain 2",
			"*: fetches 2 disallowed 3 rules 1 sitemaps 2 chain 0", // fetched again after a failed connection
		}, []string{of(bare), of(main)})
	})
}

func (s *faultSite) checkRedirects(t *testing.T, r *report.Report) {
	var got []string
	for _, c := range r.Redirects.Chains.Rows {
		var steps []string
		for _, step := range c.Steps {
			steps = append(steps, strings.TrimPrefix(step.URL, s.main))
		}
		got = append(got, strings.TrimSpace(strings.Join(steps, " ")+" "+c.End+" "+c.Reason))
	}
	slices.Sort(got)
	equal(t, "chains", []string{
		"/chain-1 /chain-2 /chain-3 /chain-end page",
		"/loop-1 /loop-2 /loop-1 loop",
		"/moved /fine page",
		"/to-gone /gone broken",
		"/to-it /behind-a-redirect page",
		"/to-nothing no-location",
		"/to-private /private/behind-a-redirect skipped disallowed",
	}, got)
	if d := r.Redirects; d.URLs != 10 || d.Loops != 1 || d.DeadEnds != 2 || d.Long != 1 {
		t.Errorf("%d redirects, %d loops, %d dead, %d long", d.URLs, d.Loops, d.DeadEnds, d.Long)
	}
}

// An interrupted crawl is inconclusive. Resumed, it finds every fault. A recrawl finds the same broken links and
// unlinked pages, although the page with most links is unchanged and comes without them, and a changed robots.txt.
func TestInterruptedCrawlIsInconclusiveUntilItFinishes(t *testing.T) {
	s := startFaultSite(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s.set(func(s *faultSite) {
		s.etag = `"1"`
		s.onRequest = func(uri string) {
			if uri == "/unlisted" {
				interrupt()
			}
		}
	})
	cfg := s.config(t)
	c, err := crawler.New(cfg, nil)
	if err == nil {
		_, err = c.Run(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Generate(t.Context(), []string{cfg.Output.Dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.State != report.Stopped || r.Summary.End != string(crawler.EndInterrupted) || r.Summary.Remaining == 0 || !strings.HasPrefix(r.Highlights[0].Text, "the crawl is not finished") {
		t.Errorf("%+v; %+v", r.Summary, r.Highlights[0])
	}
	wantCaveats(t, r, true)
	first := crawl(t, cfg, &crawler.Options{Resume: true})
	equal(t, "when finished", built(), s.found(first))
	wantCaveats(t, first, false)

	s.set(func(s *faultSite) { s.rules = "Disallow: /open-no-more" })
	r = crawl(t, cfg, &crawler.Options{Recrawl: true})
	if !slices.ContainsFunc(r.Statuses, func(st report.Status) bool { return st.Status == http.StatusNotModified }) {
		t.Fatalf("no page is unchanged: %+v", r.Statuses)
	}
	equal(t, "not linked", built()["not-linked"], s.found(r)["not-linked"])
	equal(t, "broken links", report.FindingsOf(first, "broken-link").Rows, report.FindingsOf(r, "broken-link").Rows)
	wantCaveats(t, r, false)
	if first.Robots.Changes != 0 || r.Summary.Recrawls != 1 || r.Robots.Changes != 1 || r.Robots.Outages != 0 {
		t.Fatalf("%d changes in the first crawl; recrawl %d has %d, and %d outages", first.Robots.Changes, r.Summary.Recrawls, r.Robots.Changes, r.Robots.Outages)
	}
	main := r.Robots.Origins.Rows[0]
	if change := main.Changes.Rows[0]; main.Origin != s.main || change.Field != "text" || change.From == change.To || main.Fetches != 2 {
		t.Errorf("%+v of %s", change, main.Origin)
	}
	rule := r.Rejected.Rules.Rows[slices.IndexFunc(r.Rejected.Rules.Rows, func(l report.RobotsRule) bool { return l.Line == 5 })]
	if rule.Text != "Disallow: /open-no-more" || rule.URLs != 1 {
		t.Errorf("%+v", rule)
	}
	wantSameOfParts(t, cfg.Output.Dir)
	t.Run("URLs", func(t *testing.T) { wantTrueValues(t, cfg.Output.Dir) })
}

// wantCaveats checks whether each finding about sitemaps is said to be inconclusive.
func wantCaveats(t *testing.T, r *report.Report, want bool) {
	t.Helper()
	for _, k := range report.SitemapFindings(r) {
		if len(k.Caveats) > 0 != want {
			t.Errorf("%s has the caveats %q", kindOf(k), k.Caveats)
		}
	}
}
