package report

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A crawl is the content of a directory.
type crawl struct {
	pages       []output.Page
	rejected    []output.Rejection
	links       []output.Links
	sitemaps    []output.Sitemap
	entries     []output.Entry
	checks      []output.Check
	anchors     []output.Anchors
	permissions []output.Permission
	robots      []robotsLine
	texts       map[string]string // robots.txt by origin
	state       map[string]any
}

const (
	example = "https://example.com"
	other   = "https://other.example"
	bare    = "https://bare.example"
)

// day is the day of the crawl in the tests.
var day = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func at(second int) time.Time { return day.Add(time.Duration(second) * time.Second) }

// write makes the directory.
func (c *crawl) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "crawl")
	d, err := results.Create(dir, c.state)
	if err != nil {
		t.Fatal(err)
	}
	var b results.Batch
	for i := range c.pages {
		err = errors.Join(err, results.Pages.Add(&b, &c.pages[i]))
	}
	for i := range c.rejected {
		err = errors.Join(err, results.Rejected.Add(&b, &c.rejected[i]))
	}
	hasLine := make(map[string]bool)
	for i := range c.links {
		hasLine[c.links[i].URL] = true
		err = errors.Join(err, results.Links.Add(&b, &c.links[i]))
	}
	for _, p := range c.pages { // a crawl writes a line for each page with links
		if c.links != nil && p.Links > 0 && !hasLine[p.URL] {
			err = errors.Join(err, results.Links.Add(&b, &output.Links{URL: p.URL, To: []output.Link{}}))
		}
	}
	for i := range c.sitemaps {
		err = errors.Join(err, results.Sitemaps.Add(&b, &c.sitemaps[i]))
	}
	for i := range c.checks {
		err = errors.Join(err, results.Checks.Add(&b, &c.checks[i]))
	}
	for i := range c.anchors {
		err = errors.Join(err, results.Anchors.Add(&b, &c.anchors[i]))
	}
	for i := range c.permissions {
		err = errors.Join(err, results.Permissions.Add(&b, &c.permissions[i]))
	}
	for _, l := range c.robots {
		body := []byte(c.texts[l.Origin])
		if l.Hash != "" { // which d takes from the text
			body = append(body, "\n# version "+l.Hash...)
		}
		l.Hash = ""
		line, failure := d.Robots(l.Origin, body, l, false)
		_, full := d.RobotsLog().Append(line)
		err = errors.Join(err, failure, full)
	}
	var entries []byte
	for _, e := range c.entries {
		var failure error
		entries, failure = jsonlines.Line(entries, e)
		err = errors.Join(err, failure)
	}
	if len(entries) > 0 {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "entries.jsonl"), entries, 0o600))
	}
	if err := errors.Join(err, d.Write(&b), d.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// loadModel loads the model of a crawl.
func loadModel(t testing.TB, dirs ...string) *model {
	t.Helper()
	m, err := newModel(t.Context(), dirs, nil)
	if err == nil {
		err = m.load()
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// write makes the report of a directory and writes it there.
func write(dir string, opts *Options) (*Report, error) {
	r, err := Generate(context.Background(), []string{dir}, opts)
	if err == nil {
		err = r.WriteFiles(context.Background(), dir)
	}
	return r, err
}

// make makes the directory and its report.
func (c *crawl) make(t *testing.T) *Report {
	t.Helper()
	r, err := Generate(t.Context(), []string{c.write(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.GeneratedAt.Location() != time.UTC || time.Since(r.GeneratedAt).Abs() > time.Hour {
		t.Errorf("generated at %v, want now in UTC", r.GeneratedAt)
	}
	r.GeneratedAt = at(3600)
	return r
}

// everything is a crawl with a case of every kind.
func everything() *crawl {
	c := &crawl{
		state: map[string]any{
			"version": results.Version,
			"config": map[string]any{
				"urls": []string{example + "/", bare + "/"}, "user-agent": "politecrawl/0.1 (+https://example.com/bot)", "links": true,
			},
			"ended": CrawlEnd{End: "finished"},
		},
		texts: map[string]string{
			example: "User-agent: *\nDisallow: /private/  # keep out\nDisallow: /disallowed\nCrawl-delay: 2\nSitemap: https://example.com/sitemap.xml\nDisalow: /typo\n",
			bare:    "User-agent: politecrawl\nDisallow:\n",
		},
	}
	c.page("/fine", output.Page{Source: "link", Depth: 1, Title: "Title of /fine", Hash: "f"})
	c.linked("/new", "")
	c.linked("/unlisted", "")
	c.linked("/future", "")
	c.linked("/ancient", "")
	c.linked("/today", "")
	c.page("/", output.Page{Source: "start", Title: "Home", DurationMS: 40, Bytes: 5000})
	c.page("/orphan", output.Page{Source: "sitemap", DurationMS: 3000})
	c.page("/self", output.Page{Source: "sitemap"})
	c.page("/unlisted.pdf", output.Page{Source: "link", ContentType: "application/pdf", Bytes: 900_000})
	c.page("/unlisted-noindex", output.Page{Source: "link", Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}})
	c.page("/unlisted-copy", output.Page{Source: "link", Canonical: example + "/fine"})
	c.page("/hidden", output.Page{Source: "link", Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}, Withheld: "noindex"})
	c.page("/hidden-by-header", output.Page{
		Source: "link", Directives: []output.Directive{{Rule: "none", Source: "1st X-Robots-Tag header"}, {Rule: "max-snippet: 20", Source: "1st X-Robots-Tag header"}},
	})
	c.page("/copy", output.Page{Source: "link", Canonical: example + "/fine", Hash: "f", Depth: 2})
	c.page("/gone", output.Page{Source: "link", Status: 404, Depth: 2})
	c.page("/error", output.Page{Source: "redirect", Status: 500, FoundOn: example + "/to-error", Depth: 2})
	for _, redirect := range [][2]string{
		{"/old", "/new"}, {"/moved", "https://EXAMPLE.com:443/fine#part"}, {"/a", "b"}, {"/b", "/c"}, {"/loop-1", "/loop-2"}, {"/loop-2", "/loop-1"},
		{"/to-error", "/error"}, {"/to-private", "/private/1"}, {"/to-nothing", ""}, {"/to-later", "/not-yet"},
	} {
		c.page(redirect[0], output.Page{Source: "link", Status: 301, Location: redirect[1], Depth: 1})
	}
	c.linked("/c", example+"/b")
	c.pages = append(c.pages, output.Page{
		URL: bare + "/", Source: "start", Status: 200, ContentType: "text/html", FetchedAt: at(30), DurationMS: 900, Bytes: 700,
	})

	c.reject("/disallowed", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /disallowed", Line: 3, Group: "*", Source: "sitemap"})
	c.reject("/private/1", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2, Group: "*", Source: "link", Depth: 2})
	c.reject("/private/2", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2, Group: "*", Source: "link", Depth: 2})
	c.reject("/down", output.Rejection{Reason: output.Failed, Source: "link", FoundOn: example + "/", Detail: "connection refused"})
	c.reject("/alias?x=1", output.Rejection{Reason: output.DuplicateURL, Source: "sitemap", FoundOn: example + "/sitemap.xml", Detail: "of /alias"})
	c.rejected = append(c.rejected,
		output.Rejection{URL: other + "/foreign", Reason: output.NotAuthorized, Source: "sitemap", FoundOn: example + "/sitemap.xml"},
		output.Rejection{URL: other + "/", Reason: output.OutOfScope, Source: "link", FoundOn: example + "/", Depth: 1})

	c.links = []output.Links{
		{URL: example + "/", To: []output.Link{{URL: example + "/"}, {URL: example + "/fine"}, {URL: example + "/unlisted"}, {URL: example + "/unlisted.pdf"}, {URL: example + "/unlisted-noindex"}, {URL: example + "/old"}, {URL: example + "/gone"}, {URL: example + "/down"}, {URL: example + "/hidden"}, {URL: example + "/hidden-by-header"}, {URL: example + "/copy"}, {URL: example + "/future"}, {URL: example + "/ancient"}, {URL: example + "/today"}, {URL: other + "/"}}},
		{URL: example + "/fine", To: []output.Link{{URL: example + "/"}, {URL: example + "/gone"}}},
		{URL: example + "/self", To: []output.Link{{URL: example + "/self"}}},
	}
	c.sitemaps = []output.Sitemap{
		{URL: example + "/sitemap.xml", Status: 200, Origin: example, FoundOn: example + "/robots.txt", Pages: 17, FetchedAt: at(2)},
		{URL: example + "/lost.xml", Status: 404, Origin: example, FoundOn: example + "/robots.txt", FetchedAt: at(3)},
	}
	for _, path := range []string{
		"/", "/fine", "/new", "/orphan", "/self", "/disallowed", "/moved", "/gone", "/down", "/hidden", "/hidden-by-header", "/copy", "/alias?x=1", "/fine",
	} {
		c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: example + "/sitemap.xml", LastMod: day.AddDate(-1, 0, 0)})
	}
	c.entries = append(c.entries,
		output.Entry{URL: example + "/future", Sitemap: example + "/sitemap.xml", LastMod: day.AddDate(5, 0, 0)},
		output.Entry{URL: example + "/ancient", Sitemap: example + "/sitemap.xml", LastMod: time.Unix(0, 0)},
		output.Entry{URL: example + "/today", Sitemap: example + "/sitemap.xml", LastMod: day.Add(13 * time.Hour)}, // a date, where it is tomorrow
		output.Entry{URL: other + "/foreign", Sitemap: example + "/sitemap.xml"})

	rules := robotsLine{Origin: example, Outcome: "rules", Status: 200, Hash: "1", Chain: []string{example + "/robots.txt"}, FetchedAt: at(1)}
	changed := rules
	changed.Hash, changed.FetchedAt = "2", at(40)
	lost := robotsLine{Origin: bare, Outcome: "unreachable", Status: 503, Error: "status 503", Chain: []string{bare + "/robots.txt"}, FetchedAt: at(5), FailingSince: at(5)}
	still := lost
	still.FetchedAt = at(10)
	back := robotsLine{Origin: bare, Outcome: "rules", Status: 200, Chain: []string{bare + "/robots.txt", bare + "/r.txt"}, FetchedAt: at(20)}
	c.robots = []robotsLine{rules, lost, still, back, changed}

	for _, p := range c.pages {
		if p.Status == 200 {
			c.permission(strings.TrimPrefix(p.URL, example))
		}
	}
	c.permissions[0] = permission(example+"/fine", inRobots(usage.KindContentSignal, "search=yes, ai-train=yes"), inHeader("train-ai=n"))
	c.permissions[1] = permission(example+"/new", inRobots(usage.KindContentSignal, "search=yes, ai-train=yes"))
	return c
}

// page adds a page of example.com. Missing fields are those of a good page.
func (c *crawl) page(path string, p output.Page) {
	p.URL = example + path
	if p.Status == 0 {
		p.Status = 200
	}
	if p.ContentType == "" {
		p.ContentType = "text/html; charset=utf-8"
	}
	if p.Source == "link" && p.FoundOn == "" {
		p.FoundOn = example + "/"
	}
	if p.Source == "sitemap" {
		p.FoundOn = example + "/sitemap.xml"
	}
	if to, err := redirection.Resolve(p.URL, p.Location); err == nil && p.Location != "" {
		p.Location = to.String()
	}
	p.FetchedAt, p.Attempt = at(2+len(c.pages)), 1
	if p.DurationMS == 0 {
		p.DurationMS = 20
	}
	if p.Bytes == 0 {
		p.Bytes = 1000
	}
	if p.Status == 200 && p.Withheld == "" {
		p.Links = 1
	}
	c.pages = append(c.pages, p)
}

// linked adds a good page that was found by a link, or by a redirect from a URL.
func (c *crawl) linked(path, redirect string) {
	p := output.Page{Source: "link", Depth: 1, Title: "Title of " + path}
	if redirect != "" {
		p.Source, p.FoundOn = "redirect", redirect
	}
	c.page(path, p)
}

// reject adds a skipped URL of example.com.
func (c *crawl) reject(path string, r output.Rejection) {
	r.URL = example + path
	if r.Reason == output.Disallowed {
		r.RobotsURL = example + "/robots.txt"
	}
	if r.FoundOn == "" {
		r.FoundOn = example + map[string]string{"link": "/", "sitemap": "/sitemap.xml"}[r.Source]
	}
	c.rejected = append(c.rejected, r)
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// permission adds what a page of example.com may be used for.
func (c *crawl) permission(path string, statements ...usage.Statement) {
	if strings.HasPrefix(path, "/") {
		path = example + path
	}
	c.permissions = append(c.permissions, permission(path, statements...))
}

func permission(url string, statements ...usage.Statement) output.Permission {
	return output.Permission{URL: url, FetchedAt: at(1), Robots: usage.Hash([]byte(originOf(url))), Purposes: usage.Merge(statements), Statements: statements}
}

// inRobots is the statement of a line of robots.txt.
func inRobots(kind usage.Kind, value string) usage.Statement {
	field := statementLabel(kind)
	f := robotstxt.Parse([]byte("User-agent: *\nDisallow:\n"+field+": "+value+"\n"), nil)
	return usage.FromRobots(f, f.Group("*"), "", "/")[0]
}

// inHeader is the statement of a Content-Usage header.
func inHeader(value string) usage.Statement {
	return usage.FromHeader(http.Header{"Content-Usage": {value}}, nil, day)[0]
}
