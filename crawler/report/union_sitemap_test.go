package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestSitemapLeftAlone holds that a sitemap file and a page of the same URL are two.
func TestSitemapLeftAlone(t *testing.T) {
	const file = example + "/sitemap.xml"
	disallowed := output.Rejection{Reason: output.Disallowed, Source: "sitemap", Via: example + "/robots.txt", Rule: "Disallow: /sitemap.xml", Line: 2}
	asSitemap := func(c *crawl) {
		c.reject("/sitemap.xml", disallowed)
		c.sitemaps = []output.Sitemap{{URL: file, Host: example, Via: example + "/robots.txt", Detail: "disallowed", FetchedAt: at(1)}}
	}
	asPage := worker(func(c *crawl) { c.page("/sitemap.xml", output.Page{Source: "link", ContentType: "text/xml"}) })
	inAnyOrder(t, []*crawl{worker(asSitemap), worker(asSitemap), asPage}, func(t *testing.T, r *Report) {
		if r.Summary.Pages != 1 || r.Rejected.Total != 1 || r.Sitemaps.Files.Total != 1 || r.Sitemaps.Files.Rows[0].Detail != "disallowed: Disallow: /sitemap.xml" {
			t.Errorf("%s", asJSON(t, r))
		}
	})
}

// TestSitemapOfTwoWorkers holds that a sitemap file which two workers read counts once,
// with the entries of the last reading; and twice where two hosts list it.
func TestSitemapOfTwoWorkers(t *testing.T) {
	const file = example + "/sitemap.xml"
	reading := func(second int, host string, paths ...string) func(*crawl) {
		return func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: file, Status: 200, Host: host, Via: host + "/robots.txt", Pages: len(paths), FetchedAt: at(second)})
			for _, path := range paths {
				c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: file})
			}
		}
	}
	pages := func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		c.page("/a", output.Page{Source: "link"})
		c.page("/b", output.Page{Source: "sitemap"})
	}
	for _, tt := range []struct {
		name                 string
		first, second        func(*crawl)
		files, entries, urls int
		notFetched           []string
	}{
		{"the last reading", reading(1, example, "/", "/", "/a", "/gone-since"), reading(2, example, "/", "/a", "/b", "/c"), 1, 4, 4, []string{"/c"}},
		{"a last one that failed", reading(1, example, "/", "/a"), reading(2, example), 1, 1, 1, []string{}}, // there is no entry: "/b" was found in a sitemap
		{"of two hosts", reading(1, example, "/", "/a"), reading(2, other, "/", "/a", "/b"), 2, 5, 3, []string{}},
		{"of one host and of both", reading(1, example, "/", "/a"), func(c *crawl) {
			reading(2, example, "/", "/a")(c)
			reading(3, other, "/", "/a")(c)
		}, 2, 4, 2, []string{}},
		{"of both hosts, for the second too early", func(c *crawl) {
			reading(4, example, "/", "/a")(c)
			reading(1, other, "/")(c)
		}, reading(2, other, "/"), 2, 4, 2, []string{}}, // the same
		{"of both hosts and of one", func(c *crawl) {
			reading(1, example, "/")(c)
			reading(3, other, "/", "/a")(c)
		}, reading(2, example, "/"), 2, 4, 2, []string{}}, // of the first worker the entries of both: they do not say whose they are
	} {
		t.Run(tt.name, func(t *testing.T) {
			inAnyOrder(t, []*crawl{worker(tt.first), worker(tt.second), worker(pages)}, func(t *testing.T, r *Report) {
				if s := r.Sitemaps; s.Files.Total != tt.files || s.Entries != tt.entries || s.URLs != tt.urls {
					t.Errorf("%d files, %d entries, %d URLs: %s", s.Files.Total, s.Entries, s.URLs, asJSON(t, s.Files))
				}
				if diff := cmp.Diff(tt.notFetched, found(r, kindNotFetched)); diff != "" {
					t.Errorf("not fetched (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestReconciliationAcross holds that what one worker's sitemap lists, another has
// fetched and a third links to is as it should be.
func TestReconciliationAcross(t *testing.T) {
	workers := []*crawl{
		worker(func(c *crawl) {
			c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Host: example, Pages: 5, FetchedAt: at(1)}}
			for _, path := range []string{"/linked", "/orphan", "/moved", "/no", "/target"} {
				c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: example + "/sitemap.xml"})
			}
		}),
		worker(func(c *crawl) {
			c.page("/linked", output.Page{Source: "sitemap"})
			c.page("/orphan", output.Page{Source: "sitemap"})
			c.page("/target", output.Page{Source: "sitemap"})
			c.page("/moved", output.Page{Source: "sitemap", Status: 301, Location: "/to"})
		}),
		worker(func(c *crawl) {
			c.page("/", output.Page{Source: "start"})
			c.page("/to", output.Page{Source: "link", Status: 301, Location: "/target"})
			c.page("/unlisted", output.Page{Source: "link"})
			c.reject("/no", output.Rejection{Reason: output.Disallowed, Source: "sitemap", Rule: "Disallow: /no", Line: 2})
			c.links = []output.Links{{URL: example + "/", To: []string{example + "/linked", example + "/to", example + "/unlisted"}}}
		}),
	}
	inAnyOrder(t, workers, func(t *testing.T, r *Report) {
		for _, k := range kinds {
			want := map[string][]string{
				kindNotLinked: {"/orphan"}, kindNotListed: {"/", "/unlisted"}, kindRedirected: {"/moved"}, kindDisallowed: {"/no"},
			}[k.name]
			if diff := cmp.Diff(append([]string{}, want...), found(r, k.name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", k.name, diff)
			}
		}
		if c := r.Redirects.Chains.Rows; len(c) != 1 || c[0].Hops != 2 || c[0].End != endPage {
			t.Errorf("%+v", c)
		}
	})
}
