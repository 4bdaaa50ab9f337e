package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// found returns the URLs at fault by a rule: paths on example.com, or whole URLs.
func found(r *Report, rule string) []string {
	urls := []string{}
	if f := FindingsOf(r, rule); f != nil {
		for _, row := range f.Rows {
			urls = append(urls, strings.TrimPrefix(row.URL, example))
		}
	}
	return urls
}

func inconclusive(r *Report, rule string) []string { return FindingsOf(r, rule).Caveats }

// idsOfSitemaps returns the IDs of the rules of sitemaps.
func idsOfSitemaps() []string {
	var ids []string
	for _, rule := range sitemapRules {
		ids = append(ids, rule.ID)
	}
	return ids
}

// Each gap in a crawl makes the kinds inconclusive that depend on it, and no other.
func TestInconclusiveKindsSayWhy(t *testing.T) {
	all := idsOfSitemaps()
	but := func(left ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(k string) bool { return slices.Contains(left, k) })
	}
	for _, tt := range []struct {
		name   string
		change func(*crawl)
		want   []string
		words  string
	}{
		{"stopped", func(c *crawl) { c.state["ended"] = CrawlEnd{"interrupted", 7} }, all, "7 URLs remain"},
		{"running", func(c *crawl) { c.state["ended"] = CrawlEnd{End: EndRunning} }, all, "still running"},
		{"killed", func(c *crawl) { delete(c.state, "ended") }, all, "not known whether"},
		{"robots.txt unreachable", func(c *crawl) {
			c.reject("/wait", output.Rejection{Reason: output.RobotsUnreachable, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "1 URL was skipped: robots.txt could not be fetched"},
		{"payment", func(c *crawl) {
			c.reject("/paid", output.Rejection{Reason: output.PaymentRequired, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "1 URL was skipped: the site requires payment"},
		{"license", func(c *crawl) {
			c.reject("/licensed", output.Rejection{Reason: output.LicenseRequired, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "1 URL was skipped: the site requires a license"},
		{"limit of a host", func(c *crawl) {
			c.reject("/full", output.Rejection{Reason: output.MaxHostPages, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "limit of pages per host"},
		{"since", func(c *crawl) {
			c.reject("/same", output.Rejection{Reason: output.BeforeSince, Source: "sitemap"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "unchanged according"},
		{"depth", func(c *crawl) {
			c.reject("/deep", output.Rejection{Reason: output.MaxDepth, Source: "link"})
		}, []string{"sitemap-not-linked", "sitemap-not-listed"}, "limit of depth"},
		{"hosts", func(c *crawl) {
			c.reject("/late", output.Rejection{Reason: output.MaxHosts, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "limit of hosts"},
		{"sitemap entries", func(c *crawl) {
			c.reject("/late.xml", output.Rejection{Reason: output.MaxSitemapEntries, Source: "sitemap"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "limit of sitemap entries"},
		{"long URLs", func(c *crawl) {
			c.reject("/?a&b", output.Rejection{Reason: output.TooLong, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "length limit"},
		{"an expression", func(c *crawl) {
			c.reject("/private", output.Rejection{Reason: output.Excluded, Source: "link"})
		}, but("sitemap-unreadable", "sitemap-incomplete", "sitemap-invalid-lastmod", "sitemap-not-fetched"), "excluded by --include or --exclude"},
		{"a trap", func(c *crawl) {
			c.reject("/calendar?month=12", output.Rejection{Reason: output.Trap, Source: "link"})
		}, []string{"sitemap-not-linked", "sitemap-not-listed"}, "spider trap"},
		{"repeating paths", func(c *crawl) {
			c.reject("/a/a/a/a", output.Rejection{Reason: output.RepeatedSegment, Source: "link"})
		}, []string{"sitemap-not-linked", "sitemap-not-listed"}, "path segment repeats"},
		{"a page that was cut short", func(c *crawl) {
			c.page("/big", output.Page{Source: "link", Truncated: "max-body", LimitsReached: []string{"max-body"}})
		}, []string{"sitemap-not-linked", "sitemap-not-listed"}, "1 page has more"},
		{"too many links", func(c *crawl) {
			c.page("/map", output.Page{Source: "link", LinksSkipped: 1, LimitsReached: []string{"max-links"}})
		}, []string{"sitemap-not-linked", "sitemap-not-listed"}, "1 page has more"},
		{"a sitemap that failed", func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: example + "/bad.xml", Status: 500, Origin: example})
		}, but("sitemap-not-linked"), "2 of 3 sitemap files were not read completely: 1 skipped, failed or incomplete, 1 not found"},
		{"a sitemap that was not read to its end", func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: example + "/cut.xml", Status: 200, Origin: example, Detail: "cut short"})
		}, but("sitemap-not-linked"), "2 of 3 sitemap files were not read completely: 1 skipped, failed or incomplete, 1 not found"},
		{"a sitemap that is disallowed", func(c *crawl) {
			c.reject("/private/map.xml", output.Rejection{Reason: output.Disallowed, Source: "sitemap", FoundOn: example + "/robots.txt", Rule: "Disallow: /private/", Line: 2})
		}, but("sitemap-not-linked"), "2 of 3 sitemap files were not read completely: 1 disallowed, 1 not found"},
		{"no links.jsonl", func(c *crawl) { c.links = nil }, []string{"sitemap-not-linked"}, "links of pages were not recorded"},
		{"only sitemaps", func(c *crawl) { c.state["config"].(map[string]any)["only-sitemaps"] = true }, []string{"sitemap-not-linked", "sitemap-not-listed"}, "no links were followed"},
		{"unchanged pages", func(c *crawl) { c.page("/same", output.Page{Status: 304, Unchanged: true, Source: "link"}) }, []string{"sitemap-not-linked"}, "1 page is unchanged"},
		{"withheld pages with links", func(c *crawl) {
			c.page("/quiet", output.Page{Source: "link", Withheld: "noindex"})
			c.pages[len(c.pages)-1].Links = 3
		}, []string{"sitemap-not-linked"}, "because of noindex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := everything()
			tt.change(c)
			r := c.make(t)
			var got []string
			for _, k := range SitemapFindings(r) {
				if len(k.Caveats) > 0 {
					got = append(got, k.ID)
					if text := strings.Join(k.Caveats, "; "); !strings.Contains(text, tt.words) {
						t.Errorf("%s: %q does not say %q", k.ID, text, tt.words)
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("inconclusive kinds (-want +got):\n%s", diff)
			}
			if !slices.ContainsFunc(r.Highlights, func(f Highlight) bool {
				return f.Topic == topicSitemaps && strings.Contains(f.Text, "results may be incomplete") && strings.Contains(f.Text, tt.words)
			}) {
				t.Errorf("no finding says it: %v", r.Highlights)
			}
		})
	}
}

// A page that answers 304 comes without its body. Its duplicates are missing from the numbers
// of the report, and its links if it has no line in links.jsonl.
func TestReportNotesPagesWithoutContent(t *testing.T) {
	c := everything()
	c.page("/same", output.Page{Status: 304, Source: "link", Unchanged: true})
	want := []string{
		"1 page is unchanged since the last crawl, without content: duplicates among them are not counted",
		"the links of 1 unchanged page are not known and not counted",
	}
	if diff := cmp.Diff(want, c.make(t).Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	c.links = append(c.links, output.Links{URL: example + "/same", To: []output.Link{}})
	r := c.make(t)
	if diff := cmp.Diff(want[:1], r.Notes); diff != "" {
		t.Errorf("notes if its links are known (-want +got):\n%s", diff)
	}
	if reasons := inconclusive(r, "sitemap-not-linked"); len(reasons) > 0 {
		t.Errorf("not-linked is inconclusive: %q", reasons)
	}

	c = &crawl{state: everything().state} // of which no page says that it has links
	c.page("/same", output.Page{Status: 304, Source: "sitemap", Unchanged: true})
	c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Pages: 1}}
	c.entries = []output.Entry{{URL: example + "/same", Sitemap: example + "/sitemap.xml"}}
	for _, config := range []map[string]any{{}, {"links": false}} {
		c.state["config"] = config
		if r := c.make(t); len(found(r, "sitemap-not-linked")) > 0 || len(inconclusive(r, "sitemap-not-linked")) == 0 {
			t.Errorf("%v: not linked %q, inconclusive %q", config, found(r, "sitemap-not-linked"), inconclusive(r, "sitemap-not-linked"))
		}
	}
}

// If several sitemaps list a URL, the first by name is shown, in whichever order they were
// read. A date is compared with the last reading.
func TestFirstSitemapByNameIsShown(t *testing.T) {
	a, b := example+"/a.xml", example+"/b.xml"
	for _, order := range [][]string{{a, b}, {b, a}} {
		c := everything()
		for i, file := range order {
			c.sitemaps = append(c.sitemaps,
				output.Sitemap{URL: file, Status: 200, Origin: example, Pages: 2, FetchedAt: at(0).AddDate(0, 0, 9*i)},
				output.Sitemap{URL: file, Status: 200, Origin: other, Pages: 2, FetchedAt: at(0).AddDate(0, 0, 9-9*i)})
			c.entries = append(c.entries,
				output.Entry{URL: example + "/nowhere", Sitemap: file, LastMod: at(0).AddDate(0, 0, 5)},
				output.Entry{URL: example + "/old", Sitemap: file, LastMod: at(0).AddDate(0, 0, 5)})
		}
		r := c.make(t)
		if want := []string{"/alias?x=1", "/nowhere"}; !slices.Equal(found(r, "sitemap-not-fetched"), want) {
			t.Errorf("not fetched: %v", found(r, "sitemap-not-fetched"))
		}
		if want := []string{"/ancient", "/future"}; !slices.Equal(found(r, "sitemap-invalid-lastmod"), want) {
			t.Errorf("dates that cannot be true: %v", found(r, "sitemap-invalid-lastmod"))
		}
		for _, k := range SitemapFindings(r) {
			for _, row := range k.Rows {
				if (row.URL == example+"/nowhere" || row.URL == example+"/old") && (row.Related != a || k.Total != 2) {
					t.Errorf("%s: %d rows, %+v", k.ID, k.Total, row)
				}
			}
		}
	}
}

// Without entries.jsonl the report compares no sitemap with the site, and says so once.
func TestWithoutEntriesSitemapsAreInconclusive(t *testing.T) {
	c := everything()
	c.entries = nil
	dir := c.write(t)
	entries := filepath.Join(dir, "entries.jsonl")
	for _, missing := range []bool{false, true} {
		if err := os.WriteFile(entries, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if missing {
			if err := os.Remove(entries); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Generate(t.Context(), []string{dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Sitemaps; s.URLs != 0 || len(SitemapFindings(r)) != 1 || SitemapFindings(r)[0].ID != "sitemap-unreadable" || s.OriginsWithoutEntries.Total != 0 || !slices.Equal(s.Caveats, []string{"entries.jsonl is missing or empty"}) {
			t.Errorf("missing %v: %s", missing, asJSON(t, s))
		}
		if want := []string{"entries.jsonl is missing or empty: its sitemaps cannot be compared with the site"}; !slices.Equal(r.Notes, want) {
			t.Errorf("missing %v: notes %q", missing, r.Notes)
		}
		if last := r.Highlights[len(r.Highlights)-1]; last.Level != Warning || last.Text != "no sitemap entries found, but some may be missing: entries.jsonl is missing or empty" {
			t.Errorf("missing %v: %+v", missing, last)
		}
	}
}

func TestSiteWithoutSitemapsHasNoDiscrepancies(t *testing.T) {
	c := everything()
	c.entries, c.sitemaps = nil, nil
	for i := range c.pages {
		if c.pages[i].Source == "sitemap" {
			c.pages[i].Source = "link"
		}
	}
	c.rejected = slices.DeleteFunc(c.rejected, func(r output.Rejection) bool { return r.Source == "sitemap" })
	r := c.make(t)
	if s := r.Sitemaps; len(SitemapFindings(r)) != 0 || s.URLs != 0 {
		t.Errorf("%s", asJSON(t, s))
	}
	if last := r.Highlights[len(r.Highlights)-1]; last.Text != "no sitemap lists a page" {
		t.Errorf("%v", last)
	}
}

// A URL without a status counts as skipped, even if it has a line of a page.
func TestListedURLWithoutStatusIsDisallowed(t *testing.T) {
	c := &crawl{state: everything().state}
	c.pages = append(c.pages, output.Page{URL: example + "/x", Source: "sitemap", FetchedAt: at(1)})
	c.reject("/x", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /x", Line: 2, Source: "sitemap"})
	c.entry("/x")
	if got := found(c.make(t), "sitemap-disallowed"); !slices.Equal(got, []string{"/x"}) {
		t.Errorf("%q", got)
	}
}
