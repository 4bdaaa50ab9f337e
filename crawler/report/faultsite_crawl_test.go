package report_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
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
	r := crawl(t, cfg, nil)

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
	t.Run("numbers", func(t *testing.T) { s.checkNumbers(t, r) })
	t.Run("broken", func(t *testing.T) { s.checkBroken(t, r) })
	t.Run("redirects", func(t *testing.T) { s.checkRedirects(t, r) })
	t.Run("rejected", func(t *testing.T) { s.checkRejected(t, r) })
	t.Run("robots", func(t *testing.T) { s.checkRobots(t, r) })
	t.Run("parts", func(t *testing.T) { wantSameOfParts(t, cfg.Output.Dir) })
}

func (s *faultSite) checkNumbers(t *testing.T, r *report.Report) {
	statuses := map[int]int{http.StatusOK: 3} // the front pages, and /page of bare
	urls := map[string]bool{"/": true, "foreign:/listed": true}
	for _, p := range places {
		if p.reason == "" {
			statuses[p.answer()]++
		}
		if p.listed != "" {
			urls[p.path] = true
		}
	}
	got := make(map[int]int)
	for _, st := range r.Statuses {
		got[st.Status] = st.Pages
	}
	equal(t, "statuses", statuses, got)

	depths := make(map[int]int)
	for _, d := range r.Depths {
		depths[d.Depth] = d.Pages
	}
	if depths[2] != 1 || depths[3] != 1 || depths[4] != 0 { // /unlisted/below and /unlisted/deeper
		t.Errorf("pages by depth: %v", depths)
	}
	hosts := make(map[string]report.Origin)
	for _, h := range r.Origins.Rows {
		hosts[h.Origin] = h
	}
	if main, bare := hosts[s.main], hosts[s.bare]; main.Failed != 1 || main.Broken != 3 || main.Disallowed != 3 ||
		main.Pages+bare.Pages != r.Summary.Pages || bare.Pages != 2 || bare.OK != 2 || bare.Disallowed != 3 {
		t.Errorf("hosts: %+v", r.Origins.Rows)
	}
	sum := r.Summary
	if sum.State != report.Finished || sum.End != string(crawler.EndFinished) || sum.Remaining != 0 || sum.Broken != 4 || sum.Disallowed != 6 {
		t.Errorf("%+v", sum)
	}
	maps := r.Sitemaps
	faults := 0
	for _, k := range report.SitemapFindings(r) {
		switch kindOf(k) {
		case "unreadable", "not-linked", "not-listed", "invalid-lastmod", "not-fetched":
		default:
			faults += k.Total
		}
	}
	if maps.URLs != len(urls) || maps.Entries != len(urls)+2 || maps.Problems != faults || maps.OK != len(urls)-faults-1 { // twins twice, the alias
		t.Errorf("%d entries of %d URLs, %d fine, %d faulty; built: %d URLs, %d faulty", maps.Entries, maps.URLs, maps.OK, maps.Problems, len(urls), faults)
	}
}

func (s *faultSite) checkBroken(t *testing.T, r *report.Report) {
	type broken struct {
		Detail string
		Pages  int
		From   []string
	}
	got := make(map[string]broken)
	for _, b := range report.FindingsOf(r, "broken-link").Rows {
		got[s.short(b.URL)[0]] = broken{b.Detail, b.Pages, s.short(b.FoundOn...)}
	}
	equal(t, "broken links", map[string]broken{ // not /error and /silent, to which no page links
		"/gone":          {"status 404", 2, []string{"/", "/fine"}},
		"/gone-unlisted": {"status 410", 1, []string{"/"}},
	}, got)
	silent := report.FindingsOf(r, "sitemap-broken").Rows
	if i := slices.IndexFunc(silent, func(f report.Finding) bool { return s.short(f.URL)[0] == "/silent" }); i < 0 || !strings.Contains(silent[i].Detail, "closed before a response") {
		t.Errorf("broken URLs in sitemaps: %+v", silent)
	}
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

func (s *faultSite) checkRejected(t *testing.T, r *report.Report) {
	want := map[output.Reason][]string{
		output.OutOfScope:    {"foreign:/"},
		output.NotAuthorized: {"foreign:/listed"},
		output.InvalidURL:    {"http://["},
		output.Disallowed:    {"bare:/shed/1", "bare:/shed/2", "bare:/shed/left/3"},
	}
	for _, p := range places {
		if p.reason != "" {
			want[p.reason] = append(want[p.reason], p.path)
		}
	}
	got := make(map[output.Reason][]string)
	total := 0
	for _, g := range r.Rejected.Reasons {
		total += g.URLs.Total
		if g.Meaning == "" {
			t.Errorf("%s is not explained", g.Reason)
		}
		for _, row := range g.URLs.Rows {
			got[g.Reason] = append(got[g.Reason], row.URL)
		}
		got[g.Reason] = s.short(got[g.Reason]...)
	}
	for reason := range want {
		slices.Sort(want[reason])
	}
	equal(t, "skipped", want, got)
	if r.Rejected.Total != total {
		t.Errorf("%d skipped, by reason %d", r.Rejected.Total, total)
	}

	type rule struct {
		Where, Text, Group string
		Line, URLs         int
		Examples           []string
	}
	var rules []rule
	for _, l := range r.Rejected.Rules.Rows {
		rules = append(rules, rule{s.short(l.RobotsURL)[0], l.Text, l.Group, l.Line, l.URLs, s.short(l.Examples...)})
	}
	slices.SortFunc(rules, func(a, b rule) int { return strings.Compare(a.Where+a.Text, b.Where+b.Text) })
	equal(t, "rules", []rule{
		{"/robots.txt", "Disallow: /private/ # for members", "*", 2, 3, []string{"/private/behind-a-redirect", "/private/linked", "/private/listed"}},
		{"bare:/robots.txt", "Disallow: /shed/", "politecrawl", 2, 2, []string{"bare:/shed/1", "bare:/shed/2"}},
		{"bare:/robots.txt", "Disallow: /shed/left/", "politecrawl", 3, 1, []string{"bare:/shed/left/3"}},
	}, rules)
}

func (s *faultSite) checkRobots(t *testing.T, r *report.Report) {
	if o := r.Robots; o.Outages != 1 || o.Changes != 0 || o.Origins.Total != 2 {
		t.Fatalf("%d outages, %d changes, %d hosts", o.Outages, o.Changes, o.Origins.Total)
	}
	bare, main := r.Robots.Origins.Rows[0], r.Robots.Origins.Rows[1] // the one with the outage first
	outage := bare.Outages.Rows[0]
	if outage.Status != http.StatusServiceUnavailable || outage.Attempts != 1 || outage.EndedAt.Sub(outage.StartedAt) < 20*time.Millisecond {
		t.Errorf("outage %+v", outage)
	}
	type facts struct {
		Origin, Outcome, Group                       string
		Fetches, Allowed, Disallowed, Later          int
		Rules, Sitemaps, Lint, Status, Hops, Outages int
	}
	of := func(h report.RobotsOrigin) facts {
		return facts{
			h.Origin, h.Outcome, h.Group, h.Fetches, h.Allowed, h.Disallowed, h.Unreachable,
			h.Rules, h.Sitemaps, h.Lint.Total, h.Status, max(len(h.Chain)-1, 0), h.Outages.Total,
		}
	}
	equal(t, "bare", facts{s.bare, "rules", "politecrawl", 2, 2, 3, 0, 2, 0, 1, 200, 1, 1}, of(bare))         // the second rule changes nothing
	equal(t, "main", facts{s.main, "rules", "*", 2, r.Summary.Pages - 2, 3, 0, 1, 2, 1, 200, 0, 0}, of(main)) // fetched again after a failed connection
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
