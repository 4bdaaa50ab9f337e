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

// config is a crawl of the site that waits for nothing long.
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
	r, err := report.Make([]string{cfg.Output.Dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// short writes URLs of the main host as paths, and those of others under their names.
func (s *faultSite) short(urls ...string) []string {
	names := strings.NewReplacer(s.main+"/", "/", s.bare, "bare:", s.foreign, "foreign:")
	list := []string{}
	for _, u := range urls {
		list = append(list, names.Replace(u))
	}
	slices.Sort(list)
	return list
}

// found is what a report has of each kind of discrepancy.
func (s *faultSite) found(r *report.Report) map[string][]string {
	kinds := make(map[string][]string)
	for _, k := range r.Sitemaps.Kinds {
		var urls []string
		for _, row := range k.URLs.Rows {
			urls = append(urls, row.URL)
		}
		kinds[k.Kind] = s.short(urls...)
	}
	return kinds
}

// built is what the site was built with of each kind.
func built() map[string][]string {
	kinds := map[string][]string{"not-entitled": {"foreign:/listed"}}
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

// TestFaultSite crawls a site that was built with a case of everything, and holds
// that the report finds each and nothing else.
func TestFaultSite(t *testing.T) {
	s := startFaultSite(t)
	r := crawl(t, s.config(t), nil)

	t.Run("reconciliation", func(t *testing.T) {
		equal(t, "kinds", built(), s.found(r))
		for _, k := range r.Sitemaps.Kinds {
			if len(k.Inconclusive) > 0 {
				t.Errorf("%s is said to be inconclusive: %v", k.Kind, k.Inconclusive)
			}
			for _, row := range k.URLs.Rows {
				if (row.Sitemap == "") != (k.Kind == "not-listed") {
					t.Errorf("%s: %s is listed in %q", k.Kind, row.URL, row.Sitemap)
				}
			}
		}
		equal(t, "inconclusive", []string{}, r.Sitemaps.Inconclusive)
		equal(t, "hosts without entries", []string{"bare:"}, s.short(r.Sitemaps.Bare.Rows...))
	})
	t.Run("numbers", func(t *testing.T) { s.checkNumbers(t, r) })
	t.Run("broken", func(t *testing.T) { s.checkBroken(t, r) })
	t.Run("redirects", func(t *testing.T) { s.checkRedirects(t, r) })
	t.Run("rejected", func(t *testing.T) { s.checkRejected(t, r) })
	t.Run("robots", func(t *testing.T) { s.checkRobots(t, r) })
	t.Run("sitemap files", func(t *testing.T) { s.checkSitemapFiles(t, r) })
	t.Run("pages", func(t *testing.T) { s.checkPages(t, r) })
}

func (s *faultSite) checkNumbers(t *testing.T, r *report.Report) {
	statuses := map[int]int{http.StatusOK: 3} // the front pages, and /page of bare
	urls := map[string]bool{"/": true, "foreign:/listed": true}
	for _, p := range places {
		if p.alone == "" {
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
	hosts := make(map[string]report.Host)
	for _, h := range r.Hosts.Rows {
		hosts[h.Host] = h
	}
	if main, bare := hosts[s.main], hosts[s.bare]; main.Failed != 1 || main.Broken != 3 || main.Disallowed != 3 ||
		main.Pages+bare.Pages != r.Summary.Pages || bare.Pages != 2 || bare.OK != 2 || bare.Disallowed != 3 {
		t.Errorf("hosts: %+v", r.Hosts.Rows)
	}
	sum := r.Summary
	if sum.State != report.Finished || sum.End != string(crawler.EndFinished) || sum.Left != 0 || sum.Broken != 4 || sum.Disallowed != 6 {
		t.Errorf("%+v", sum)
	}
	maps := r.Sitemaps
	faults := 0
	for _, k := range maps.Kinds {
		switch k.Kind {
		case "not-linked", "not-listed", "lastmod", "not-fetched":
		default:
			faults += k.URLs.Total
		}
	}
	if maps.URLs != len(urls) || maps.Entries != len(urls)+2 || maps.Faulty != faults || maps.Fine != len(urls)-faults-1 { // twins twice, the alias
		t.Errorf("%d entries of %d URLs, %d fine, %d faulty; built: %d URLs, %d faulty", maps.Entries, maps.URLs, maps.Fine, maps.Faulty, len(urls), faults)
	}
}

func (s *faultSite) checkBroken(t *testing.T, r *report.Report) {
	type broken struct {
		Status, Links int
		From          []string
	}
	got := make(map[string]broken)
	for _, b := range r.Broken.Rows {
		got[s.short(b.URL)[0]] = broken{b.Status, b.Links, s.short(b.From...)}
		if b.Status == 0 && !strings.Contains(b.Detail, "closed before an answer") {
			t.Errorf("%s failed for %q", b.URL, b.Detail)
		}
	}
	equal(t, "broken URLs", map[string]broken{
		"/gone":          {404, 2, []string{"/", "/fine"}},
		"/gone-unlisted": {410, 1, []string{"/"}},
		"/error":         {500, 0, []string{}},
		"/silent":        {0, 0, []string{}},
	}, got)
}

func (s *faultSite) checkRedirects(t *testing.T, r *report.Report) {
	var got []string
	for _, c := range r.Redirects.Chains.Rows {
		var steps []string
		for _, step := range c.Steps {
			steps = append(steps, strings.TrimPrefix(step.URL, s.main))
		}
		got = append(got, strings.TrimSpace(strings.Join(steps, " ")+" "+c.End+" "+c.Why))
	}
	slices.Sort(got)
	equal(t, "chains", []string{
		"/chain-1 /chain-2 /chain-3 /chain-end page",
		"/loop-1 /loop-2 /loop-1 loop",
		"/moved /fine page",
		"/to-gone /gone broken",
		"/to-it /behind-a-redirect page",
		"/to-nothing nowhere",
		"/to-private /private/behind-a-redirect left disallowed",
	}, got)
	if d := r.Redirects; d.URLs != 10 || d.Loops != 1 || d.Dead != 2 || d.Long != 1 {
		t.Errorf("%d redirects, %d loops, %d dead, %d long", d.URLs, d.Loops, d.Dead, d.Long)
	}
}

func (s *faultSite) checkRejected(t *testing.T, r *report.Report) {
	want := map[output.Reason][]string{
		output.OutOfScope:  {"foreign:/"},
		output.NotEntitled: {"foreign:/listed"},
		output.Invalid:     {"http://["},
		output.Disallowed:  {"bare:/shed/1", "bare:/shed/2", "bare:/shed/left/3"},
	}
	for _, p := range places {
		if p.alone != "" {
			want[p.alone] = append(want[p.alone], p.path)
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
	equal(t, "left alone", want, got)
	if r.Rejected.Total != total {
		t.Errorf("%d left alone, of reasons %d", r.Rejected.Total, total)
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
	if o := r.Robots; o.Outages != 1 || o.Changes != 0 || o.Hosts.Total != 2 {
		t.Fatalf("%d outages, %d changes, %d hosts", o.Outages, o.Changes, o.Hosts.Total)
	}
	bare, main := r.Robots.Hosts.Rows[0], r.Robots.Hosts.Rows[1] // the one with the outage first
	outage := bare.Outages.Rows[0]
	if outage.Status != http.StatusServiceUnavailable || outage.Tries != 1 || outage.To.Sub(outage.From) < 20*time.Millisecond {
		t.Errorf("outage %+v", outage)
	}
	type facts struct {
		Origin, Outcome, Group                           string
		Fetches, Allowed, Disallowed, Later              int
		Rules, Sitemaps, Oddities, Status, Hops, Outages int
	}
	of := func(h report.RobotsHost) facts {
		return facts{
			h.Origin, h.Outcome, h.Group, h.Fetches, h.Allowed, h.Disallowed, h.Later,
			h.Rules, h.Sitemaps, h.Oddities, h.Status, max(len(h.Chain)-1, 0), h.Outages.Total,
		}
	}
	equal(t, "bare", facts{s.bare, "rules", "politecrawl", 2, 2, 3, 0, 2, 0, 1, 200, 1, 1}, of(bare)) // the second rule changes nothing
	equal(t, "main", facts{s.main, "rules", "*", 1, r.Summary.Pages - 2, 3, 0, 1, 2, 1, 200, 0, 0}, of(main))
}

func (s *faultSite) checkSitemapFiles(t *testing.T, r *report.Report) {
	type file struct {
		Status, Pages, Sitemaps, Faults int
		Via                             string
	}
	got := make(map[string]file)
	faults := 0
	for _, f := range r.Sitemaps.Files.Rows {
		got[s.short(f.URL)[0]] = file{f.Status, f.Pages, f.Sitemaps, 0, s.short(f.Via)[0]}
		faults += f.Faults
	}
	listed := 0
	for _, p := range places {
		if p.listed != "" {
			listed++
		}
	}
	equal(t, "files", map[string]file{
		"/sitemap.xml":       {200, 0, 2, 0, "/robots.txt"},
		"/lost.xml":          {404, 0, 0, 0, "/robots.txt"},
		"/sitemap-1.xml":     {200, listed/2 + 4, 0, 0, "/sitemap.xml"},
		"/sitemap-moved.xml": {301, 0, 0, 0, "/sitemap.xml"},
		"/sitemap-2.xml":     {200, listed - listed/2, 0, 0, "/sitemap-moved.xml"},
	}, got)
	if first := s.short(r.Sitemaps.Files.Rows[0].URL)[0]; first != "/lost.xml" {
		t.Errorf("the first file is %s", first)
	}
	want := 0
	for kind, urls := range built() {
		if kind != "not-listed" && kind != "not-fetched" {
			want += len(urls)
		}
	}
	if faults != want {
		t.Errorf("%d entries at fault, built: %d", faults, want)
	}
}

func (s *faultSite) checkPages(t *testing.T, r *report.Report) {
	if p := r.Slowest.Rows[0]; s.short(p.URL)[0] != "/slow" || p.Millis < slowness.Milliseconds() || r.Times.Longest != p.Millis {
		t.Errorf("the slowest is %+v, the longest time %d ms", p, r.Times.Longest)
	}
	if p := r.Largest.Rows[0]; s.short(p.URL)[0] != "/large" || p.Title != "Large" || p.Bytes < 200_000 {
		t.Errorf("the largest is %+v", p)
	}

	groups := make(map[string]int) // by the copies and the page that they are copies of
	for _, g := range r.Duplicates.Groups.Rows {
		groups[strings.Join(s.short(append(slices.Clone(g.Examples), g.URL)...), " ")] = g.Declared
	}
	declared := groups["/printed /printed?print=1"]
	equal(t, "duplicates", map[string]int{"/twin-1 /twin-2": 0, "/printed /printed?print=1": declared}, groups)
	if r.Duplicates.Copies != 2 || r.Duplicates.Declared != declared {
		t.Errorf("%+v", r.Duplicates)
	}

	type directive struct{ Pages, Header, Meta int }
	rules := make(map[string]directive)
	for _, d := range r.Directives.Rules.Rows {
		rules[d.Rule] = directive{d.Pages, d.Header, d.Meta}
	}
	equal(t, "directives", map[string]directive{
		"noindex": {3, 1, 2}, "max-snippet: 20": {1, 1, 1}, "Content-Usage: train-ai=n": {1, 1, 0},
	}, rules)
	if r.Directives.Pages != 5 || r.Directives.Withheld != 3 {
		t.Errorf("%d pages ask for something, %d are withheld", r.Directives.Pages, r.Directives.Withheld)
	}
	pdf := slices.IndexFunc(r.Types.Rows, func(c report.Count) bool { return c.Name == "application/pdf" })
	if pdf < 0 || r.Types.Rows[pdf].Count != 1 || r.Types.Rows[0].Name != "text/html" {
		t.Errorf("content types: %v", r.Types.Rows)
	}
	pages := 0
	for _, m := range r.Times.Course {
		pages += m.Pages
	}
	if pages != r.Summary.Pages {
		t.Errorf("%d pages in the course of the crawl, of %d", pages, r.Summary.Pages)
	}
}
