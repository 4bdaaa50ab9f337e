package report_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestFaultSiteSeenInPart holds that a crawl that could not see all of the site says
// of which kinds there may be more, and of no other; and that what it found of the
// site all the same was built there.
func TestFaultSiteSeenInPart(t *testing.T) {
	all := slices.Sorted(maps.Keys(built()))
	but := func(left ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(k string) bool { return slices.Contains(left, k) })
	}
	for _, tt := range []struct {
		name   string
		change func(*faultSite, *crawler.Config)
		want   []string
		words  string // of the reason
	}{
		{"stopped half-way", func(_ *faultSite, c *crawler.Config) { c.Limits.MaxPages = len(places) / 2 }, all, "the crawl is not finished"},
		{"stopped at once", func(_ *faultSite, c *crawler.Config) { c.Limits.MaxPages = 1 }, all, "the crawl is not finished"},
		{"robots.txt down", func(s *faultSite, c *crawler.Config) { s.fails, c.Limits.MaxWait = -1, 0 }, all, "1 URL had still to be fetched"},
		{"a sitemap that is refused", func(s *faultSite, _ *crawler.Config) { s.lost = http.StatusForbidden }, but("not-linked"), "1 sitemap file could not be read"},
		{"a sitemap that is disallowed", func(s *faultSite, _ *crawler.Config) { s.rules = "Disallow: /lost.xml" }, but("not-linked"), "1 sitemap file could not be read"},
		{"to a depth", func(_ *faultSite, c *crawler.Config) { c.Scope.MaxDepth = 2 }, []string{"not-linked", "not-listed"}, "1 URL: left out by the limit of depth"},
		{"so many pages of a host", func(_ *faultSite, c *crawler.Config) { c.Limits.MaxHostPages = 20 }, but("lastmod", "not-fetched"), "left out by the limit of pages"},
		{"without links.jsonl", func(_ *faultSite, c *crawler.Config) { c.Output.Links = false }, []string{"not-linked"}, "were not written down"},
		{"only what sitemaps list", func(_ *faultSite, c *crawler.Config) { c.Sitemaps.Only = true }, []string{"not-linked", "not-listed"}, "no link was followed"},
		{"changed since", func(_ *faultSite, c *crawler.Config) { c.Sitemaps.Since = "2024-06-01" }, but("lastmod", "not-fetched"), "have not changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startFaultSite(t)
			cfg := s.config(t)
			tt.change(s, &cfg)
			r := crawl(t, cfg, nil)
			var doubtful []string
			for _, k := range r.Sitemaps.Kinds {
				if len(k.Inconclusive) > 0 {
					doubtful = append(doubtful, k.Kind)
					if why := strings.Join(k.Inconclusive, "; "); !strings.Contains(why, tt.words) {
						t.Errorf("%s is inconclusive for %q, want %q", k.Kind, why, tt.words)
					}
				}
			}
			slices.Sort(doubtful)
			if cfg.Limits.MaxPages == 1 && r.Sitemaps.URLs == 0 && strings.Contains(strings.Join(r.Sitemaps.Inconclusive, " "), tt.words) {
				doubtful = all // there is nothing that could be marked one by one
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(tt.want)), doubtful); diff != "" {
				t.Errorf("inconclusive (-want +got):\n%s", diff)
			}
			built, found := built(), s.found(r)
			for kind, urls := range found {
				if kind == "not-fetched" || slices.Contains(doubtful, kind) && (kind == "not-linked" || kind == "not-listed") {
					continue // what was not seen may be there
				}
				for _, u := range urls {
					if !slices.Contains(built[kind], u) {
						t.Errorf("%s: %s was not built so", kind, u)
					}
				}
				if !slices.Contains(doubtful, kind) && len(urls) != len(built[kind]) {
					t.Errorf("%s: found %v and said to be all, built %v", kind, urls, built[kind])
				}
			}
		})
	}
}

// TestFaultSiteInterrupted holds that the report of a crawl that was interrupted says
// so, and is whole when the crawl has gone on to its end.
func TestFaultSiteInterrupted(t *testing.T) {
	s := startFaultSite(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s.set(func(s *faultSite) {
		s.asked = func(uri string) {
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
	r, err := report.Make([]string{cfg.Output.Dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.State != report.Stopped || r.Summary.End != string(crawler.EndInterrupted) || r.Summary.Left == 0 || !strings.HasPrefix(r.Findings[0].Text, "the crawl is not finished") {
		t.Errorf("%+v; %+v", r.Summary, r.Findings[0])
	}
	for _, k := range r.Sitemaps.Kinds {
		if len(k.Inconclusive) == 0 {
			t.Errorf("%s is said to be all", k.Kind)
		}
	}
	r = crawl(t, cfg, &crawler.Options{Resume: true})
	equal(t, "after all", built(), s.found(r))
	for _, k := range r.Sitemaps.Kinds {
		if len(k.Inconclusive) > 0 {
			t.Errorf("after all %s is inconclusive: %v", k.Kind, k.Inconclusive)
		}
	}
}

// TestFaultSiteChanges holds that what becomes of a robots.txt from one crawl to the
// next is told.
func TestFaultSiteChanges(t *testing.T) {
	s := startFaultSite(t)
	cfg := s.config(t)
	if before := crawl(t, cfg, nil); before.Robots.Changes != 0 {
		t.Errorf("%d changes in the first crawl", before.Robots.Changes)
	}
	s.set(func(s *faultSite) { s.rules = "Disallow: /open-no-more" })
	r := crawl(t, cfg, &crawler.Options{Recrawl: true})
	if r.Summary.Round != 1 || r.Robots.Changes != 1 || r.Robots.Outages != 0 {
		t.Fatalf("round %d, %d changes, %d outages", r.Summary.Round, r.Robots.Changes, r.Robots.Outages)
	}
	main := r.Robots.Hosts.Rows[0]
	if change := main.Changes.Rows[0]; main.Origin != s.main || change.What != "text" || change.From == change.To || main.Fetches != 1 {
		t.Errorf("%+v of %s", change, main.Origin)
	}
	rule := r.Rejected.Rules.Rows[slices.IndexFunc(r.Rejected.Rules.Rows, func(l report.Rule) bool { return l.Line == 5 })]
	if rule.Text != "Disallow: /open-no-more" || rule.URLs != 1 {
		t.Errorf("%+v", rule)
	}
}
