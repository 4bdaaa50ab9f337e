package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// mergedRows are URLs with several lines: what each adds to a crawl, and its row.
var mergedRows = map[string]struct {
	add  func(c *crawl, path string)
	want string
}{
	"page and check": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link", Depth: 2, Title: "A page", Words: 7})
			c.check(path, output.Check{Kind: "canonical", Status: 404})
		},
		"Status=200 Kind=page Indexable=yes Title=A page Depth=2 Words=7 Size=1000 Time=20",
	},
	"page, twice in a sitemap": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link"})
			for _, sitemap := range []string{"/sitemap-2.xml", "/sitemap-1.xml"} {
				c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: example + sitemap})
			}
		},
		"Status=200 Kind=page Indexable=yes Depth=0 Words=0 Size=1000 Time=20 Sitemap=https://example.com/sitemap-2.xml",
	},
	"redirect, then a page with the cookies": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link", Status: 302, Location: path, Directives: []output.Directive{{Rule: "noindex", Source: "1st X-Robots-Tag header"}}})
			c.page(path, output.Page{Source: "link", Title: "With cookies"})
		},
		"Status=200 Kind=page Indexable=yes Title=With cookies Depth=0 Words=0 Size=1000 Time=20",
	},
	"redirects with the cookies too": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link", Status: 302, Location: path})
			c.page(path, output.Page{Source: "link", Status: 307, Location: "/elsewhere"})
		},
		"Status=307 Kind=redirect Indexable=redirect Depth=0 Size=1000 Time=20",
	},
	"file": {
		func(c *crawl, path string) { c.page(path, output.Page{Source: "link", ContentType: "image/png"}) },
		"Status=200 Kind=file Indexable=not HTML Depth=0 Size=1000 Time=20",
	},
	"unchanged page": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link", Status: 304, Unchanged: true, Hash: "1", Words: 3})
		},
		"Status=304 Kind=page Indexable=yes Depth=0 Words=3 Size=1000 Time=20",
	},
	"unchanged page whose content is not known": {
		func(c *crawl, path string) {
			c.page(path, output.Page{Source: "link", Status: 304, Unchanged: true})
		},
		"Status=304 Kind=page Indexable=unknown Depth=0 Size=1000 Time=20",
	},
	"skipped": {
		func(c *crawl, path string) {
			c.reject(path, output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /", Line: 4, Depth: 3, Source: "link"})
		},
		"Kind=skipped Depth=3 Skipped=disallowed Rule=Disallow: /, line 4",
	},
	"failed": {
		func(c *crawl, path string) {
			c.reject(path, output.Rejection{Reason: output.Failed, Depth: 1, Source: "link"})
		},
		"Status=0 Kind=skipped Depth=1 Skipped=failed",
	},
	"skipped, but checked": {
		func(c *crawl, path string) {
			c.reject(path, output.Rejection{Reason: output.OutOfScope, Depth: 1, Source: "link"})
			c.check(path, output.Check{Kind: "a", Status: 204, Bytes: 5, DurationMS: 6, Canonical: example + "/"})
		},
		"Status=204 Kind=external Depth=1 Inlinks=1 Size=5 Time=6 Canonical=https://example.com/ Skipped=out-of-scope",
	},
	"only listed": {func(c *crawl, path string) { c.entry(path) }, "Kind=not fetched Sitemap=https://example.com/sitemap.xml"},
	"listed and checked": {func(c *crawl, path string) {
		c.entry(path)
		c.check(path, output.Check{Kind: "hreflang", Status: 200, DurationMS: 1})
	}, "Status=200 Kind=checked Time=1 Sitemap=https://example.com/sitemap.xml"},
	"check without response": {func(c *crawl, path string) {
		c.check(path, output.Check{Kind: "img", Reason: output.Failed, DurationMS: 1})
	}, "Status=0 Kind=asset Inlinks=1 Time=1 Skipped=failed"},
	"check that was not made": {
		func(c *crawl, path string) {
			c.check(path, output.Check{Kind: "img", Reason: output.Disallowed})
			c.checks[len(c.checks)-1].FetchedAt = time.Time{}
		},
		"Kind=asset Inlinks=1 Skipped=disallowed",
	},
	"link element to its own site": {
		func(c *crawl, path string) { c.check(path, output.Check{Kind: "link", Status: 200}) },
		"Status=200 Kind=asset Inlinks=1 Time=0",
	},
	"link element to another site": {
		func(c *crawl, path string) {
			c.check(path, output.Check{Kind: "link", Status: 200})
			c.checks[len(c.checks)-1].FoundOn = other + "/"
		},
		"Status=200 Kind=external Inlinks=1 Time=0",
	},
	"response field Refresh": {
		func(c *crawl, path string) { c.check(path, output.Check{Kind: "header", Status: 200}) },
		"Status=200 Kind=external Inlinks=1 Time=0",
	},
	"linked and used by another page": {
		func(c *crawl, path string) {
			c.reject(path, output.Rejection{Reason: output.MaxDepth})
			to := []output.Link{{URL: example + path}}
			c.links = append(c.links, output.Links{URL: example + "/a" + path, To: to, Resources: to}, output.Links{URL: example + "/b" + path, Resources: to})
		},
		"Kind=skipped Depth=0 Inlinks=2 Skipped=max-depth",
	},
	"linked and used by itself": {
		func(c *crawl, path string) {
			c.reject(path, output.Rejection{Reason: output.MaxDepth})
			to := []output.Link{{URL: example + path}}
			c.links = append(c.links, output.Links{URL: example + path, To: to, Resources: to})
		},
		"Kind=skipped Depth=0 Inlinks=1 Skipped=max-depth",
	},
}

// mergedCrawl has all of them, and mergedPath returns the path of each.
func mergedCrawl() *crawl {
	c := &crawl{state: everything().state}
	for name, tt := range mergedRows {
		tt.add(c, mergedPath(name))
	}
	return c
}

func mergedPath(name string) string { return "/" + strings.ReplaceAll(name, " ", "-") }

func TestRowMergesTheLinesOfAURL(t *testing.T) {
	r := mergedCrawl().make(t)
	all := r.urls.table()
	for name, tt := range mergedRows {
		i, known := r.urls.place[keyOf(example+mergedPath(name))]
		if !known {
			t.Errorf("%s: no row", name)
			continue
		}
		var got []string
		for j, column := range all.Columns {
			switch c := all.cell(int(i), j); {
			case column.Name == "URL", column.Name == "Findings", column.Name == "Inlinks" && c.N == 0:
			case c.Text != "":
				got = append(got, column.Name+"="+c.Text)
			case (column.Kind == kindNumber || column.Kind == kindStatus || column.Kind == kindSize || column.Kind == kindMillis) && c.N >= 0:
				got = append(got, fmt.Sprint(column.Name, "=", c.N))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The page of a URL has its first entries, and counts all.
func TestEntriesOfAURLAreBounded(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	for i := range maxEntries + 7 {
		c.entries = append(c.entries, output.Entry{URL: example + "/", Sitemap: fmt.Sprintf("%s/%d.xml", example, i)})
	}
	d := newDetailReader(loadModel(t, c.write(t)).urls)
	details, err := d.read(0)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	if len(details.Entries) != maxEntries || details.EntryCount != maxEntries+7 || !strings.Contains(string(details.Entries[maxEntries-1]), "/99.xml") {
		t.Errorf("%d of %d entries, the last %s", len(details.Entries), details.EntryCount, details.Entries[len(details.Entries)-1])
	}
}

// A line that jsonlines reads is a line of the page too, whatever follows its object.
func TestLineWithARestIsRead(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	dir := c.write(t)
	file, err := os.OpenFile(filepath.Join(dir, "pages.jsonl"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	end, err := file.Seek(-1, io.SeekEnd) // the end of the line
	if err == nil {
		_, err = file.WriteAt([]byte(" x"), end)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := Generate(t.Context(), []string{dir}, nil)
	if err == nil {
		err = r.WriteHTML(io.Discard)
	}
	if err != nil || r.Summary.Pages != 1 {
		t.Errorf("%v, %d pages", err, r.Summary.Pages)
	}
}

// A URL beyond the limit is counted once, however many lines it has.
func TestURLsBeyondTheLimitAreCounted(t *testing.T) {
	crawls := []*crawl{worker(func(c *crawl) {
		for _, path := range []string{"/1", "/2", "/2", "/3"} {
			c.page(path, output.Page{Source: "link"})
		}
		c.reject("/4", output.Rejection{Reason: output.Nofollow})
		c.reject("/sitemap.xml", output.Rejection{Reason: output.Failed, Source: "sitemap", FoundOn: example + "/robots.txt"})
		for _, path := range []string{"/1", "/3", "/3", "/4", "/5", "/5"} {
			c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: example + "/sitemap.xml"})
		}
		for _, path := range []string{"/3", "/5", "/6"} {
			c.check(path, output.Check{Kind: "canonical", Status: 200})
		}
	}), worker(func(c *crawl) {
		c.reject("/4", output.Rejection{Reason: output.Nofollow})
		c.page("/7", output.Page{Source: "link"})
		c.check("/7", output.Check{Kind: "canonical", Status: 200})
	})}
	var dirs []string
	for _, c := range crawls {
		dirs = append(dirs, c.write(t))
	}
	for _, limit := range []int{1, 2, 6, 7, 8} {
		r, err := Generate(t.Context(), dirs, &Options{Rows: limit})
		if err != nil {
			t.Fatal(err)
		}
		if all := r.urls.table(); all.Len != min(limit, 7) || all.Total != 7 {
			t.Errorf("limit %d: %d of %d rows, want of 7", limit, all.Len, all.Total)
		}
	}
}

// The page of a URL shows the verdict of the robots.txt that applied.
func TestVerdictOfRobots(t *testing.T) {
	const down = "https://down.example"
	const last, earlier = "User-agent: *\nDisallow: /private\nAllow: /private/open # so\nDisallow: /new\n", "User-agent: POLITECRAWL\nDisallow: /old\n\nUser-agent: *\nDisallow: /\n"
	rejected := func(path string, r output.Rejection) func(*crawl) { return func(c *crawl) { c.reject(path, r) } }
	fetched := func(url, hash string) func(*crawl) {
		return func(c *crawl) {
			c.pages = append(c.pages, output.Page{URL: url, Status: 200, ContentType: "text/html"})
			if hash != "" {
				c.permissions = append(c.permissions, output.Permission{URL: url, Robots: strings.TrimPrefix(hash, "none")})
			}
		}
	}
	of := func(group, rule string, line int, allowed bool) *robotsVerdict {
		return &robotsVerdict{URL: example + "/robots.txt", Group: group, Rule: rule, Line: line, Allowed: allowed}
	}
	latest := func(group, rule string, line int, allowed bool) *robotsVerdict {
		verdict := of(group, rule, line, allowed)
		verdict.Latest = true
		return verdict
	}
	for name, tt := range map[string]struct {
		add  func(*crawl)
		url  string
		want *robotsVerdict
	}{
		"no rule":                    {fetched(example+"/a", ""), example + "/a", latest("*", "", 0, true)},
		"allowed by a rule":          {fetched(example+"/private/open", ""), example + "/private/open", latest("*", "Allow: /private/open", 3, true)},
		"disallowed line":            {rejected("/x", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /x", Line: 9, Group: "a"}), example + "/x", of("a", "Disallow: /x", 9, false)},
		"skipped for another reason": {rejected("/private/deep", output.Rejection{Reason: output.MaxDepth}), example + "/private/deep", latest("*", "Disallow: /private", 2, false)},
		"check that is disallowed": {
			func(c *crawl) {
				c.check("/private/logo.png", output.Check{Kind: "img", Reason: output.Disallowed, Result: output.CheckUnverified})
			},
			example + "/private/logo.png", latest("*", "Disallow: /private", 2, false),
		},
		"last version, by its hash": {fetched(example+"/private/open", usage.Hash([]byte(last))), example + "/private/open", of("*", "Allow: /private/open", 3, true)},
		"earlier version":           {fetched(example+"/new", usage.Hash([]byte(earlier))), example + "/new", of("POLITECRAWL", "", 0, true)},
		"earlier version disallows": {fetched(example+"/old/1", usage.Hash([]byte(earlier))), example + "/old/1", of("POLITECRAWL", "Disallow: /old", 2, false)},
		"hash that leads elsewhere": {fetched(example+"/new", "../../secret"), example + "/new", nil},
		"version that was not kept": {fetched(example+"/new", usage.Hash([]byte("no-store"))), example + "/new", nil},
		"no robots.txt then":        {fetched(example+"/new", "none"), example + "/new", &robotsVerdict{URL: example + "/robots.txt", Allowed: true, Outcome: "allow-all"}},
		"no robots.txt":             {fetched(bare+"/", ""), bare + "/", &robotsVerdict{URL: bare + "/robots.txt", Allowed: true, Outcome: "allow-all", Latest: true}},
		"unreachable":               {fetched(down+"/", ""), down + "/", &robotsVerdict{URL: down + "/robots.txt", Outcome: "unreachable", Latest: true}},
		"origin without a request":  {fetched(other+"/", ""), other + "/", nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := &crawl{state: everything().state, texts: map[string]string{example: last}, robots: []robotsLine{
				{Origin: example, Outcome: "rules", Status: 200, FetchedAt: at(1)}, {Origin: bare, Outcome: "allow-all", Status: 404, FetchedAt: at(1)},
				{Origin: down, Outcome: "unreachable", Status: 503, FetchedAt: at(1)},
			}}
			tt.add(c)
			dir := c.write(t)
			for path, text := range map[string]string{
				output.VersionPath(dir, usage.Hash([]byte(earlier))): earlier, output.VersionPath(dir, usage.Hash([]byte("no-store"))) + output.NoStore: "",
				filepath.Join(dir, "secret"): earlier,
			} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m := loadModel(t, dir)
			d := newDetailReader(m.urls)
			details, err := d.read(int(m.urls.place[keyOf(tt.url)]))
			if err := errors.Join(err, d.Close()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, details.Robots); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A page is not written with a part of the details.
func TestDetailsOfAShorterFileFail(t *testing.T) {
	dir := everything().write(t)
	r, err := Generate(t.Context(), []string{dir}, nil)
	if err == nil {
		err = os.Truncate(filepath.Join(dir, "entries.jsonl"), 100)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}
