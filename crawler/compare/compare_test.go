package compare_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A site is the directory of a crawl, written by hand.
type site struct {
	origin   string // default https://example.com
	pages    []output.Page
	rejected []output.Rejection
	entries  []output.Entry
	checks   []output.Check
	robots   string // empty if the site has none
	sitemap  string // default /sitemap.xml
	stopped  bool   // URLs remain
}

// write writes the directory of the crawl. Paths become URLs.
func (s site) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if s.origin == "" {
		s.origin = "https://example.com"
	}
	abs := func(u string) string {
		if strings.HasPrefix(u, "/") {
			return s.origin + u
		}
		return u
	}
	remaining := 0
	if s.stopped {
		remaining = 1
	}
	state := map[string]any{
		"version": 2, "config": map[string]any{"urls": []string{s.origin + "/"}, "user-agent": "politecrawl/0.1", "links": true},
		"ended": map[string]any{"end": "finished", "remaining": remaining},
	}
	var pages, rejected, entries []any
	for _, p := range s.pages {
		p.URL, p.Canonical, p.Source = abs(p.URL), abs(p.Canonical), cmp.Or(p.Source, "link")
		if p.Status == 0 {
			p.Status = 200
		}
		p.ContentType = cmp.Or(p.ContentType, "text/html")
		pages = append(pages, p)
	}
	for _, r := range s.rejected {
		r.URL = abs(r.URL)
		rejected = append(rejected, r)
	}
	for _, e := range s.entries {
		e.URL, e.Sitemap = abs(e.URL), abs(cmp.Or(s.sitemap, "/sitemap.xml"))
		entries = append(entries, e)
	}
	record := map[string]any{"origin": s.origin, "outcome": "allow-all", "status": 404}
	if s.robots != "" {
		record["outcome"], record["status"] = "rules", 200
		path := output.RobotsPath(dir, s.origin)
		writeFile(t, path, s.robots)
	}
	writeLines(t, dir, "crawl.json", []any{state})
	writeLines(t, dir, "pages.jsonl", pages)
	writeLines(t, dir, "rejected.jsonl", rejected)
	writeLines(t, dir, "entries.jsonl", entries)
	var checks []any
	for _, c := range s.checks {
		checks = append(checks, c)
	}
	writeLines(t, dir, "checks.jsonl", checks)
	writeLines(t, dir, "links.jsonl", nil)
	writeLines(t, dir, "sitemaps.jsonl", nil)
	writeLines(t, dir, "robots.jsonl", []any{record})
	return dir
}

func writeLines(t *testing.T, dir, name string, lines []any) {
	t.Helper()
	var b strings.Builder
	for _, line := range lines {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	writeFile(t, filepath.Join(dir, name), b.String())
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *compare.Crawl {
	t.Helper()
	c, err := compare.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rows returns the changes as "rule URL detail related", without the origin.
func rows(c *compare.Comparison) []string {
	var list []string
	for _, of := range c.Changes {
		for _, f := range of.Rows {
			text := strings.TrimSpace(strings.Join([]string{of.ID, f.URL, f.Detail, line(f), f.Related}, " "))
			list = append(list, strings.Join(strings.Fields(strings.ReplaceAll(text, "https://example.com", "")), " "))
		}
	}
	slices.Sort(list)
	return list
}

func line(f report.Finding) string {
	if f.Line == 0 {
		return ""
	}
	return fmt.Sprintf("(line %d)", f.Line)
}

func page(url string, change ...func(*output.Page)) output.Page {
	p := output.Page{URL: url}
	for _, f := range change {
		f(&p)
	}
	return p
}

func noindex(p *output.Page) {
	p.Directives = []output.Directive{{Rule: "noindex", Source: "meta"}}
	p.Withheld = "noindex"
}

func status(code int) func(*output.Page) {
	return func(p *output.Page) { p.Status, p.Unchanged = code, code == 304 }
}
func canonical(url string) func(*output.Page) { return func(p *output.Page) { p.Canonical = url } }
func to(target string) func(*output.Page)     { return func(p *output.Page) { p.Location = target } }
func redirected(target string) func(*output.Page) {
	return func(p *output.Page) { p.Status, p.Location = 301, "https://example.com"+target }
}

func TestChangesOfPagesRobotsAndSitemaps(t *testing.T) {
	home := page("/")
	for _, tt := range []struct {
		name     string
		old, now site
		want     []string
	}{
		{"nothing", of(home, page("/a")), of(page("/a"), home), nil},
		{"appeared", of(home), of(home, page("/a")), []string{"page-appeared /a"}},
		{"vanished", of(home, page("/a")), of(home), []string{"page-vanished /a"}},
		{"broken before, gone now", of(home, page("/a", status(404))), of(home), nil},
		{"vanished from a crawl that is not finished", of(home, page("/a")), site{pages: []output.Page{home}, stopped: true}, nil},
		{"appeared after a crawl that was not finished", site{pages: []output.Page{home}, stopped: true}, of(home, page("/a")), nil},
		{"broken", one(), one(status(500)), []string{"page-broken /a status 500"}},
		{"no response", one(), site{rejected: []output.Rejection{{URL: "/a", Reason: output.Failed, Detail: "timeout"}}}, []string{"page-broken /a timeout"}},
		{"only nofollow links lead there", one(), site{rejected: []output.Rejection{{URL: "/a", Reason: output.Nofollow}}}, []string{"page-vanished /a skipped: nofollow"}},
		{"redirected", one(), one(redirected("/b")), []string{"page-redirected /a status 301 /b"}},
		{"noindex", one(), one(noindex), []string{"page-noindex /a noindex"}},
		{"noindex removed", one(noindex), one(), []string{`directives-changed /a removed; it was "noindex"`}},
		{"redirect with another target", one(redirected("/b")), one(redirected("/c")), []string{"redirect-changed /a it was /b /c"}},
		{"redirect without a target", one(redirected("/b")), one(status(301)), []string{"redirect-changed /a it was /b"}},
		{"another redirect to the same target", one(redirected("/b")), one(redirected("/b"), status(302)), []string{"status-changed /a status 302; it was 301"}},
		{"other fault", one(status(404)), one(status(410)), []string{"status-changed /a status 410; it was 404"}},
		{"repaired", one(status(404)), one(), []string{"status-changed /a status 200; it was 404"}},
		{"content that is not authoritative", one(), one(status(203)), []string{"status-changed /a status 203; it was 200"}},
		{
			"test server whose redirects name the real site", site{origin: "https://real.example", pages: []output.Page{page("/a", status(301), to("https://real.example/b"))}},
			one(status(301), to("https://real.example/b")), nil,
		},
		{"redirects of a test server and the real site", site{origin: "https://real.example", pages: []output.Page{page("/a", status(301), to("https://real.example/b"))}}, one(redirected("/b")), nil},
		{"not modified", one(canonical("/a")), one(status(304)), nil},
		{"canonical lost", one(canonical("/a")), one(), []string{"canonical-changed /a removed; it was /a"}},
		{"canonical that was broken", of(page("/a", canonical("/typo")), page("/typo", status(404))), one(canonical("/a")), nil},
		{"canonical that redirected", of(page("/a", canonical("/old")), page("/old", status(301)), page("/new")), of(page("/a", canonical("/new")), page("/old", status(301)), page("/new")), nil},
		{
			"canonical on a host that did not respond", site{pages: []output.Page{page("/a", canonical("https://wrong.example/a"))}, checks: []output.Check{{URL: "https://wrong.example/a", Kind: "canonical", Result: output.CheckBroken, Reason: output.Failed}}},
			one(canonical("/a")), nil,
		},
		{"canonical of its own added", one(), one(canonical("/a")), nil},
		{"canonical elsewhere", one(), one(canonical("/")), []string{"canonical-changed /a it had none /"}},
		{
			"disallowed, found by a link", one(),
			site{robots: "User-agent: *\nDisallow: /a\n", rejected: []output.Rejection{{URL: "/a", Reason: output.Disallowed, Rule: "Disallow: /a", Line: 2}}},
			[]string{
				"page-disallowed /a Disallow: /a (line 2)",
				`robots-disallows /robots.txt /a is disallowed for every agent by "Disallow: /a", line 2 (line 2) /a`,
			},
		},
		{
			"everything disallowed, so no link is found", one(), site{robots: "User-agent: *\nDisallow: /\n"},
			[]string{
				"page-disallowed /a Disallow: / (line 2)",
				`robots-disallows /robots.txt / is disallowed for every agent by "Disallow: /", line 2 (line 2) /`,
			},
		},
		{
			"disallowed for another crawler", site{pages: []output.Page{page("/a")}, robots: "User-agent: *\nDisallow: /x\n"},
			site{pages: []output.Page{page("/a")}, robots: "User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow: /a\n"},
			[]string{
				`robots-changed /robots.txt /x is allowed for Googlebot; it was disallowed by "Disallow: /x", line 2 /x`,
				`robots-disallows /robots.txt /a is disallowed for Googlebot by "Disallow: /a", line 5 (line 5) /a`,
			},
		},
		{
			"disallowed where no page is", of(home), site{pages: []output.Page{home}, robots: "User-agent: *\nDisallow: /x\n"},
			[]string{`robots-changed /robots.txt /x is disallowed for every agent by "Disallow: /x", line 2 (line 2) /x`},
		},
		{
			"disallowed for agents that no group names", site{pages: []output.Page{page("/a")}, robots: "User-agent: Googlebot\nDisallow: /x\n"},
			site{pages: []output.Page{page("/a")}, robots: "User-agent: Googlebot\nDisallow: /x\n\nUser-agent: *\nDisallow: /a\n"},
			[]string{`robots-disallows /robots.txt /a is disallowed for all other agents by "Disallow: /a", line 5 (line 5) /a`},
		},
		{
			"other words, same meaning", site{pages: []output.Page{home}, robots: "User-agent: *\nDisallow: /x\n"},
			site{pages: []output.Page{home}, robots: "# for all\nuser-agent: *\nDisallow: /x # private\nDisallow: /x/y\n"}, nil,
		},
		{"sitemap line", site{pages: []output.Page{home}, robots: "Sitemap: https://example.com/s.xml\n"}, of(home), []string{"robots-changed /robots.txt the Sitemap line is gone /s.xml"}},
		{
			"new sitemap line", site{pages: []output.Page{home}, robots: "# none\n"}, site{pages: []output.Page{home}, robots: "# one\nSitemap: https://example.com/s.xml\n"},
			[]string{"robots-changed /robots.txt line 2 is a new Sitemap line (line 2) /s.xml"},
		},
		{
			"sitemap drift", site{pages: []output.Page{page("/a"), page("/b")}, entries: []output.Entry{{URL: "/a"}, {URL: "/b"}}},
			site{pages: []output.Page{page("/a"), page("/b", noindex)}, entries: []output.Entry{{URL: "/c"}}},
			[]string{"page-noindex /b noindex", "sitemap-added /c /sitemap.xml", "sitemap-dropped /a /sitemap.xml"},
		},
		{
			"another origin", site{origin: "http://127.0.0.1:1234", pages: []output.Page{page("/a", canonical("/a"))}, entries: []output.Entry{{URL: "/a"}}},
			site{pages: []output.Page{page("/a", canonical("/a"))}, entries: []output.Entry{{URL: "/a"}}}, nil,
		},
		{
			"test server that names the real site", site{origin: "https://real.example", pages: []output.Page{page("/a", canonical("/a"))}, entries: []output.Entry{{URL: "/a"}}},
			site{pages: []output.Page{page("/a", canonical("https://real.example/a"))}, entries: []output.Entry{{URL: "https://real.example/a"}}}, nil,
		},
		{
			"test server that names the real site, with faults",
			site{
				origin: "https://real.example", pages: []output.Page{page("/a", canonical("/a")), page("/b", canonical("/b"))},
				entries: []output.Entry{{URL: "/a"}, {URL: "/b"}},
			},
			site{
				pages:   []output.Page{page("/a", canonical("https://real.example/b")), page("/b", canonical("https://real.example/b"))},
				entries: []output.Entry{{URL: "https://real.example/a"}, {URL: "https://real.example/c"}},
			},
			[]string{
				"canonical-changed /a it was /a https://real.example/b",
				"sitemap-added https://real.example/c /sitemap.xml", "sitemap-dropped /b /sitemap.xml",
			},
		},
		{
			"real site that names the test server", site{
				origin: "http://test.example", pages: []output.Page{page("/a", canonical("https://example.com/a"))}, entries: []output.Entry{{URL: "https://example.com/a"}},
			},
			site{pages: []output.Page{page("/a", canonical("http://test.example/a"))}, entries: []output.Entry{{URL: "http://test.example/a"}}},
			[]string{
				"canonical-changed /a it was /a http://test.example/a",
				"sitemap-added http://test.example/a /sitemap.xml",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compare.Compare(open(t, tt.old.write(t)), open(t, tt.now.write(t)))
			if diff := gocmp.Diff(tt.want, rows(c)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewAndFixedFindings(t *testing.T) {
	old := site{origin: "http://127.0.0.1:1", pages: []output.Page{page("/", fine("A")), page("/gone", status(404)), page("/still", status(404))}}
	now := of(page("/", fine("B")), page("/new", status(404)), page("/still", status(404)))
	before, after := old.write(t), now.write(t)
	check := func(t *testing.T, c *compare.Comparison) {
		t.Helper()
		for _, f := range c.Findings {
			if f.ID == "broken-link" {
				if len(f.New) != 1 || f.New[0].URL != "https://example.com/new" || len(f.Fixed) != 1 || f.Fixed[0].URL != "https://example.com/gone" || f.Same != 1 {
					t.Errorf("%+v", f)
				}
				return
			}
		}
		t.Errorf("no broken link in %+v", c.Findings)
	}
	t.Run("directories", func(t *testing.T) {
		c := compare.Compare(open(t, before), open(t, after))
		check(t, c)
		var listed []string
		for _, f := range c.List().Findings {
			listed = append(listed, fmt.Sprintf("%s %s: %d of %d", f.Severity, f.ID, len(f.Rows), f.Total))
		}
		if diff := gocmp.Diff([]string{"error new-broken-link: 1 of 1", "notice change-title-changed: 1 of 1", "notice change-h1-changed: 1 of 1", "notice change-description-changed: 1 of 1", "notice fixed-broken-link: 1 of 1"}, listed); diff != "" {
			t.Errorf("List (-want +got):\n%s", diff)
		}
		if !c.Worse(report.SeverityError) || compare.Compare(open(t, after), open(t, after)).Worse(report.SeverityNotice) {
			t.Error("Worse is wrong")
		}
	})
	t.Run("reports", func(t *testing.T) {
		var files []string
		for _, dir := range []string{before, after} {
			r, err := report.Generate(t.Context(), []string{dir}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.WriteFiles(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			files = append(files, filepath.Join(dir, report.JSONFile))
		}
		c := compare.Compare(open(t, files[0]), open(t, files[1]))
		check(t, c)
		var page strings.Builder
		if err := c.WriteHTML(&page); err != nil || !strings.Contains(page.String(), "<p>No other change was found.</p>") {
			t.Errorf("%v, %s", err, &page)
		}
		if got, want := compare.Compare(open(t, files[0]), open(t, files[0])).Unchanged(), "nothing changed in the findings: none is new or fixed"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if len(c.Changes) != 0 || !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "has no pages") }) {
			t.Errorf("changes %v, notes %q", c.Changes, c.Notes)
		}
	})
}

// A test server that names the real site has the findings of the real site.
func TestFindingsOfTestServerThatNamesRealSite(t *testing.T) {
	const released = "https://real.example"
	old := site{origin: released, pages: []output.Page{page("/", canonical("/gone")), page("/gone", status(404))}}
	now := of(page("/", canonical(released+"/gone")), page(released+"/gone", status(404)))
	c := compare.Compare(open(t, old.write(t)), open(t, now.write(t)))
	if len(c.Findings) != 0 || len(c.Notes) != 1 {
		t.Errorf("%+v, notes %q", c.Findings, c.Notes)
	}
}

// The first page of a group of duplicates is no finding. If it gets its own title, the next page
// is the first one: nothing is new.
func TestDuplicatesKeepTheirIdentity(t *testing.T) {
	text := func(s string) func(*output.Page) { return func(p *output.Page) { p.Title, p.Description = s, s } }
	old := of(page("/1", text("Archive")), page("/2", text("Archive")), page("/3", text("Archive")), page("/4", text("Archive")))
	now := old
	now.pages = append([]output.Page{page("/1", text("News"))}, old.pages[1:]...)
	seen := 0
	for _, f := range compare.Compare(open(t, old.write(t)), open(t, now.write(t))).Findings {
		if strings.HasSuffix(f.ID, "-duplicate") {
			seen++
			if len(f.New) != 0 || len(f.Fixed) != 1 || f.Same != 2 {
				t.Errorf("%+v", f)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d rules of duplicates", seen)
	}
}

// A rule that the old crawl did not check says nothing about what is new.
func TestUncheckedRulesAreNotNew(t *testing.T) {
	dir := of(page("/gone", status(404))).write(t)
	r, err := report.Generate(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	unchecked := *r
	unchecked.Findings = nil
	sides := make([]*compare.Crawl, 2)
	for i, r := range []*report.Report{&unchecked, r} {
		if sides[i], err = compare.New(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	c := compare.Compare(sides[0], sides[1])
	for side, c := range map[string]*compare.Comparison{"old": c, "new": compare.Compare(sides[1], sides[0])} {
		want := fmt.Sprintf("not compared: 1 finding of rules that the %s crawl did not check (broken-link 1)", side)
		if len(c.Findings) != 0 || !slices.Equal(c.Notes, []string{want}) || c.NotCompared.Findings != 1 {
			t.Errorf("findings %v, %d not compared, notes %q, want %q", c.Findings, c.NotCompared.Findings, c.Notes, want)
		}
	}
}

// A site that had no sitemap had no faults in it: those of its first sitemap are new.
func TestFindingsOfFirstSitemapAreNew(t *testing.T) {
	old := of(page("/"), page("/gone", status(404)))
	now := old
	now.entries = []output.Entry{{URL: "/gone", Sitemap: "https://example.com/sitemap.xml"}}
	c := compare.Compare(open(t, old.write(t)), open(t, now.write(t)))
	if !slices.ContainsFunc(c.Findings, func(f compare.FindingChanges) bool { return f.ID == "sitemap-broken" && len(f.New) == 1 }) {
		t.Errorf("%+v, notes %q", c.Findings, c.Notes)
	}
}

// A recrawl does not know the content of unchanged pages, so its findings are not compared.
func TestContentOfUnchangedPagesIsNotCompared(t *testing.T) {
	full := of(page("/"))
	again := of(page("/", status(304)))
	before, after := full.write(t), again.write(t)
	for name, sides := range map[string][2]string{"old": {after, before}, "new": {before, after}} {
		c := compare.Compare(open(t, sides[0]), open(t, sides[1]))
		if len(c.Findings) != 0 || !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "not compared: 1 page") }) {
			t.Errorf("%s: %+v, notes %q", name, c.Findings, c.Notes)
		}
	}
}

// A finding on a page that the new crawl skips is not fixed. One on a page that vanished is.
func TestFindingsOnSkippedPagesAreNotFixed(t *testing.T) {
	before := open(t, of(page("/"), page("/a"), page("/b"), page("/gone")).write(t))
	after := open(t, site{
		pages: []output.Page{page("/")}, robots: "User-agent: *\nDisallow: /a\nDisallow: /b\n",
		rejected: []output.Rejection{{URL: "/a", Reason: output.Disallowed, Rule: "Disallow: /a", Line: 2}}, // no page links to /b
	}.write(t))
	const want = "not compared: 6 findings on what one of the crawls did not read (title-missing 2, description-missing 2, h1-missing 2)"
	if c := compare.Compare(before, after); !slices.Equal(c.Notes, []string{want}) || c.NotCompared.Findings != 6 {
		t.Errorf("%d findings, notes %q, want %q", c.NotCompared.Findings, c.Notes, want)
	}
	if notes := compare.Compare(before, before).Notes; len(notes) != 0 {
		t.Errorf("notes %q", notes)
	}
}

func TestOpenRejectsWhatIsNoCrawl(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "old.json"), `{"version":1}`)
	writeFile(t, filepath.Join(dir, "text.json"), `pages`)
	for name, want := range map[string]error{"": output.ErrNoCrawl, "old.json": compare.ErrVersion, "missing": os.ErrNotExist, "text.json": nil} {
		_, err := compare.Open(filepath.Join(dir, name))
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}
