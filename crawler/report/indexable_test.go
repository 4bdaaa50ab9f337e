package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// indexable returns the indexable pages of crawls as one, with the dates of their last changes.
func indexable(t *testing.T, dirs ...string) (map[string]string, *Indexable) {
	t.Helper()
	x, err := FindIndexable(t.Context(), dirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	pages := make(map[string]string)
	last := ""
	for _, page := range x.Pages {
		if page.URL <= last {
			t.Errorf("%s after %s", page.URL, last)
		}
		last = page.URL
		pages[strings.TrimPrefix(page.URL, example)] = date(page.LastMod)
	}
	return pages, x
}

// wantPages compares the indexable pages of crawls.
func wantPages(t *testing.T, want map[string]string, dirs ...string) *Indexable {
	t.Helper()
	got, x := indexable(t, dirs...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	return x
}

func TestIndexablePages(t *testing.T) {
	year := date(day.AddDate(-1, 0, 0))
	x := wantPages(t, map[string]string{
		"/": year, "/fine": year, "/new": year, "/orphan": year, "/self": year, "/unlisted": "",
		"/future": "", "/ancient": "", "/today": date(day.Add(13 * time.Hour)), "/c": "", bare + "/": "",
	}, everything().write(t))
	if x.Incomplete || len(x.Caveats) > 0 || x.Fetched != 29 {
		t.Errorf("incomplete %v, caveats %q, %d fetched", x.Incomplete, x.Caveats, x.Fetched)
	}
}

func TestIndexablePageByItsFacts(t *testing.T) {
	for name, tt := range map[string]struct {
		page output.Page
		want bool
	}{
		"a page":                        {output.Page{}, true},
		"another status of success":     {output.Page{Status: 203}, true},
		"XHTML":                         {output.Page{ContentType: "application/xhtml+xml"}, true},
		"a PDF":                         {output.Page{ContentType: "application/pdf"}, false},
		"no type":                       {output.Page{ContentType: "-"}, false},
		"a redirect":                    {output.Page{Status: 301, Location: "/y"}, false},
		"an error":                      {output.Page{Status: 404}, false},
		"noindex in a meta element":     {output.Page{Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}}, false},
		"none in a header":              {output.Page{Directives: []output.Directive{{Rule: "none", Source: "1st X-Robots-Tag header"}}}, false},
		"nofollow":                      {output.Page{Directives: []output.Directive{{Rule: "nofollow", Source: "1st X-Robots-Tag header"}}}, true},
		"withheld":                      {output.Page{Withheld: "noindex"}, false},
		"canonical":                     {output.Page{Canonical: "https://example.com/x"}, true},
		"canonical elsewhere":           {output.Page{Canonical: example + "/y"}, false},
		"canonical on another origin":   {output.Page{Canonical: "http://example.com/x"}, false},
		"status 304 to the first crawl": {output.Page{Status: 304, Unchanged: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := worker(func(c *crawl) { c.page("/x", tt.page) })
			if pages, _ := indexable(t, c.write(t)); (len(pages) > 0) != tt.want {
				t.Errorf("pages %q", pages)
			}
		})
	}
}

func TestLastModOfIndexablePages(t *testing.T) {
	const header, entry = "Fri, 01 May 2026 10:00:00 GMT", "2026-04-02"
	sitemapDate := time.Date(2026, 4, 2, 0, 0, 0, 0, time.UTC)
	at := func(t time.Time) string { return t.Format("Mon, 02 Jan 2006 15:04:05 GMT") }
	own := output.Sitemap{URL: example + "/sitemap.xml", Status: 200, Origin: example, Pages: 2, FetchedAt: day}
	for name, tt := range map[string]struct {
		header   string
		sitemap  output.Sitemap
		lastMods []time.Time
		want     string
	}{
		"header":                            {header, own, []time.Time{sitemapDate}, "2026-05-01 10:00:00 UTC"},
		"sitemap":                           {"", own, []time.Time{sitemapDate}, entry},
		"the latest of several entries":     {"", own, []time.Time{sitemapDate.AddDate(0, -1, 0), sitemapDate, {}}, entry},
		"neither":                           {"", own, nil, ""},
		"header is not a date":              {"yesterday", own, []time.Time{sitemapDate}, entry},
		"header with the time of the crawl": {at(day.Add(2 * time.Second)), own, []time.Time{sitemapDate}, entry},
		"header after the crawl":            {at(day.AddDate(1, 0, 0)), own, nil, ""},
		"header before the first website":   {"Thu, 01 Jan 1970 00:00:00 GMT", own, nil, ""},
		"entry after the crawl":             {"", own, []time.Time{day.AddDate(0, 0, 3)}, ""},
		"entry before the first website":    {"", own, []time.Time{time.Unix(0, 0)}, ""},
		"sitemap on another host, in robots.txt": {"", output.Sitemap{URL: other + "/s.xml", Status: 200, Origin: example, Pages: 1, FetchedAt: day},
			[]time.Time{sitemapDate}, entry},
		"sitemap of another site": {"", output.Sitemap{URL: other + "/s.xml", Status: 200, Origin: other, Pages: 1, FetchedAt: day},
			[]time.Time{sitemapDate}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := worker(func(c *crawl) {
				c.page("/x", output.Page{Headers: map[string]string{"last-modified": tt.header}})
				c.sitemaps = []output.Sitemap{tt.sitemap}
				for _, lastMod := range tt.lastMods {
					c.entries = append(c.entries, output.Entry{URL: example + "/x", Sitemap: tt.sitemap.URL, LastMod: lastMod})
				}
			})
			wantPages(t, map[string]string{"/x": tt.want}, c.write(t))
		})
	}
}

// earlierPages writes the pages of an earlier crawl into a directory.
func earlierPages(t *testing.T, dir string, number int, pages ...output.Page) {
	t.Helper()
	var text []byte
	for _, p := range pages {
		var err error
		if text, err = jsonlines.Line(text, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, results.RotatedName(results.Pages.Name(), number)), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// An unchanged page has the facts of the last crawl that fetched it.
func TestIndexablePagesOfRecrawl(t *testing.T) {
	earlier := func(path string, p output.Page) output.Page {
		c := &crawl{}
		c.page(path, p)
		c.pages[0].FetchedAt = day.AddDate(0, 0, -7)
		return c.pages[0]
	}
	c := worker(func(c *crawl) {
		c.state["recrawls"] = 3
		for _, path := range []string{"/kept", "/noindex", "/copy", "/pdf", "/again", "/noindex-since", "/lost", "/elsewhere-now"} {
			p := output.Page{Status: 304, Unchanged: true, ContentType: "-"}
			if path == "/elsewhere-now" {
				p.Canonical = "/kept"
			}
			c.page(path, p)
		}
		c.page("/noindex-now", output.Page{Directives: []output.Directive{{Rule: "noindex", Source: "1st X-Robots-Tag header"}}})
		c.page("/gone-now", output.Page{Status: 410})
	})
	dir := c.write(t)
	earlierPages(t, dir, 1,
		earlier("/kept", output.Page{Headers: map[string]string{"last-modified": "Fri, 01 May 2009 10:00:00 GMT"}}),
		earlier("/noindex", output.Page{Withheld: "noindex"}),
		earlier("/copy", output.Page{Canonical: example + "/kept"}),
		earlier("/pdf", output.Page{ContentType: "application/pdf"}),
		earlier("/again", output.Page{Withheld: "noindex"}),
		earlier("/noindex-since", output.Page{}), earlier("/vanished", output.Page{}), earlier("/noindex-now", output.Page{}), earlier("/gone-now", output.Page{}), earlier("/elsewhere-now", output.Page{}))
	earlierPages(t, dir, 2, earlier("/kept", output.Page{Status: 304}), earlier("/again", output.Page{}), earlier("/noindex-since", output.Page{Withheld: "noindex"}), earlier("/noindex", output.Page{Status: 503}))
	x := wantPages(t, map[string]string{"/kept": "2009-05-01 10:00:00 UTC", "/again": ""}, dir)
	if want := []string{otherWorkers, "1 page is unchanged since an earlier crawl, whose files are missing"}; !x.Incomplete || cmp.Diff(want, x.Caveats) != "" {
		t.Errorf("incomplete %v, caveats %q", x.Incomplete, x.Caveats)
	}

	t.Run("of several workers", func(t *testing.T) {
		w2 := worker(func(c *crawl) { c.state["recrawls"] = 3 }).write(t)
		later := func(by time.Duration, p output.Page) output.Page {
			p.FetchedAt = p.FetchedAt.Add(by)
			return p
		}
		earlierPages(t, w2, 1, earlier("/lost", output.Page{}), later(-time.Hour, earlier("/noindex", output.Page{})), later(-time.Hour, earlier("/kept", output.Page{Withheld: "noindex"})))
		earlierPages(t, w2, 2, later(time.Hour, earlier("/again", output.Page{Withheld: "noindex"})))
		x := wantPages(t, map[string]string{"/kept": "2009-05-01 10:00:00 UTC", "/lost": ""}, dir, w2)
		if x.Incomplete || len(x.Caveats) > 0 {
			t.Errorf("incomplete %v, caveats %q", x.Incomplete, x.Caveats)
		}
	})
}

// The last fetch of a page counts, and a page counts more than a rejection.
func TestIndexablePagesOfSeveralWorkers(t *testing.T) {
	fetch := func(c *crawl, path string, second int, p output.Page) {
		c.page(path, p)
		c.pages[len(c.pages)-1].FetchedAt = at(second)
	}
	noindex := output.Page{Withheld: "noindex"}
	w1 := worker(func(c *crawl) {
		fetch(c, "/both", 10, output.Page{})
		fetch(c, "/noindex-later", 10, output.Page{})
		fetch(c, "/noindex-before", 20, output.Page{})
		fetch(c, "/1", 10, output.Page{})
		c.reject("/2", output.Rejection{Reason: output.MaxDepth, Source: "link"})
	})
	w2 := worker(func(c *crawl) {
		fetch(c, "/both", 20, output.Page{})
		fetch(c, "/noindex-later", 20, noindex)
		fetch(c, "/noindex-before", 10, noindex)
		fetch(c, "/2", 10, output.Page{})
	})
	want := map[string]string{"/both": "", "/noindex-before": "", "/1": "", "/2": ""}
	d1, d2 := w1.write(t), w2.write(t)
	for _, dirs := range [][]string{{d1, d2}, {d2, d1}} {
		if x := wantPages(t, want, dirs...); x.Incomplete || len(x.Caveats) > 0 || x.Fetched != 5 {
			t.Errorf("incomplete %v, caveats %q, %d fetched", x.Incomplete, x.Caveats, x.Fetched)
		}
	}
	if _, err := FindIndexable(t.Context(), []string{d1, d1}, nil); !errors.Is(err, ErrNotOneCrawl) {
		t.Errorf("one directory twice: error %v", err)
	}
	if _, err := FindIndexable(t.Context(), []string{t.TempDir()}, nil); !errors.Is(err, output.ErrNoCrawl) {
		t.Errorf("no crawl: error %v", err)
	}
}

// A crawl that was killed may have fetched a page twice.
func TestLastFetchOfPageDecidesWhetherItIsIndexable(t *testing.T) {
	c := worker(func(c *crawl) {
		for _, status := range []int{200, 404} {
			c.page("/gone", output.Page{Status: status})
			c.page("/back", output.Page{Status: 604 - status})
		}
	})
	wantPages(t, map[string]string{"/back": ""}, c.write(t))
}

func TestIndexablePagesOfIncompleteCrawl(t *testing.T) {
	for name, tt := range map[string]struct {
		change     func(c *crawl)
		damage     string
		incomplete bool
		caveat     string
	}{
		"stopped":     {func(c *crawl) { c.state["ended"] = CrawlEnd{"max-pages", 7} }, "", true, "the crawl is not finished: 7 URLs remain"},
		"killed":      {func(c *crawl) { delete(c.state, "ended") }, "", true, "it is not known whether the crawl finished"},
		"lost data":   {func(*crawl) {}, "garbage\n", true, "1 file has lost data"},
		"limit":       {func(c *crawl) { c.reject("/deep", output.Rejection{Reason: output.MaxDepth, Source: "link"}) }, "", false, "1 URL was skipped: limit of depth"},
		"unreachable": {func(c *crawl) { c.reject("/y", output.Rejection{Reason: output.RobotsUnreachable, Source: "link"}) }, "", false, "1 URL was skipped: robots.txt could not be fetched"},
		"long URL":    {func(c *crawl) { c.page("/"+strings.Repeat("x", 2048), output.Page{}) }, "", false, "1 page has no URL that a sitemap can list, such as one of 2,048 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := worker(func(c *crawl) {
				delete(c.state["config"].(map[string]any), "frontier")
				c.page("/x", output.Page{})
				tt.change(c)
			}).write(t)
			path := filepath.Join(dir, results.Pages.Name())
			text, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append([]byte(tt.damage), text...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			x := wantPages(t, map[string]string{"/x": ""}, dir)
			if diff := cmp.Diff([]string{tt.caveat}, x.Caveats); diff != "" || x.Incomplete != tt.incomplete {
				t.Errorf("incomplete %v, caveats (-want +got):\n%s", x.Incomplete, diff)
			}
		})
	}
}

// A file of the crawl may have been changed by another program.
func TestIndexablePagesIgnoreInvalidURLs(t *testing.T) {
	c := worker(func(c *crawl) {
		c.page("/x", output.Page{})
		for _, url := range []string{"", "/y", "https://example.com", "https://example.com?q", "https://example.com/a\nb", "mailto:a@example.com", "https://", "https:///x"} {
			p := c.pages[0]
			p.URL = url
			c.pages = append(c.pages, p)
			c.entries = append(c.entries, output.Entry{URL: url, Sitemap: example + "/sitemap.xml", LastMod: day.AddDate(-1, 0, 0)})
		}
		c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Origin: example, Pages: 9, FetchedAt: day}}
	})
	wantPages(t, map[string]string{"/x": ""}, c.write(t))
}
