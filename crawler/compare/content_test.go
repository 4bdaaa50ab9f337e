package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

func TestChangesOfContent(t *testing.T) {
	shop := page("/", texts("Shop", "All goods", "Our goods"), func(p *output.Page) { p.Words, p.Links, p.Hash = 100, 20, "1" })
	for _, tt := range []struct {
		name   string
		change func(*output.Page)
		want   []string
		bodies int
	}{
		{"nothing", func(*output.Page) {}, nil, 0},
		{"body", func(p *output.Page) { p.Hash = "2" }, nil, 1},
		{"title", func(p *output.Page) { p.Title, p.Hash = "Store", "2" }, []string{`title-changed / "Store"; it was "Shop"`}, 1},
		{"h1", func(p *output.Page) { p.H1, p.Hash = "Goods", "2" }, []string{`h1-changed / "Goods"; it was "Our goods"`}, 1},
		{"description", func(p *output.Page) { p.Description, p.Hash = "Goods", "2" }, []string{`description-changed / "Goods"; it was "All goods"`}, 1},
		{"description removed", func(p *output.Page) { p.Description, p.Hash = "", "2" }, []string{`description-changed / removed; it was "All goods"`}, 1},
		{"title vanished", func(p *output.Page) { p.Title, p.Hash = "", "2" }, []string{`content-lost / the title "Shop" vanished`}, 1},
		{"h1 vanished", func(p *output.Page) { p.H1, p.Hash = "", "2" }, []string{`content-lost / the h1 "Our goods" vanished`}, 1},
		{"a fifth of the words", func(p *output.Page) { p.Words, p.Hash = 20, "2" }, nil, 1},
		{"less than a fifth of the words", func(p *output.Page) { p.Words, p.Hash = 19, "2" }, []string{"content-lost / 100 words, now 19"}, 1},
		{"less than a fifth of the links", func(p *output.Page) { p.Links, p.Hash = 3, "2" }, []string{"content-lost / 20 links, now 3"}, 1},
		{
			"a framework's error with status 200",
			func(p *output.Page) {
				p.Title, p.Description, p.H1, p.Words, p.Links, p.Hash = "Whoops!", "", "", 8, 0, "2"
			},
			[]string{
				`content-lost / the h1 "Our goods" vanished; 100 words, now 8; 20 links, now 0`, `description-changed / removed; it was "All goods"`,
				`title-changed / "Whoops!"; it was "Shop"`,
			},
			1,
		},
		{"noindex", func(p *output.Page) { *p = page("/", noindex) }, []string{"page-noindex / noindex"}, 0},
		{"status 203", func(p *output.Page) { p.Status = 203 }, []string{"status-changed / status 203; it was 200"}, 0},
		{"content type", func(p *output.Page) { p.ContentType = "text/plain" }, []string{`content-type-changed / "text/plain"; it was "text/html"`}, 0},
		{
			"the same body as plain text",
			func(p *output.Page) {
				p.Title, p.Description, p.H1, p.Words, p.Links, p.ContentType = "", "", "", 0, 0, "text/plain"
			},
			[]string{
				`content-lost / the title "Shop" vanished; the h1 "Our goods" vanished; 100 words, now 0; 20 links, now 0`,
				`content-type-changed / "text/plain"; it was "text/html"`, `description-changed / removed; it was "All goods"`,
			},
			0,
		},
		{"directives", directives("noarchive", "nofollow"), []string{`directives-changed / "noarchive, nofollow"; it had none`}, 0},
		{"empty", func(p *output.Page) { *p = page("/") }, []string{
			`content-lost / the title "Shop" vanished; the h1 "Our goods" vanished; 100 words, now 0; 20 links, now 0`, `description-changed / removed; it was "All goods"`,
		}, 1},
		{"broken", func(p *output.Page) { *p = page("/", status(500)) }, []string{"page-broken / status 500"}, 0},
		{"a long title", func(p *output.Page) { p.Title, p.Hash = strings.Repeat("ü", 100), "2" }, []string{`title-changed / "` + strings.Repeat("ü", 79) + `…"; it was "Shop"`}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := shop
			tt.change(&now)
			c := compare.Compare(open(t, of(shop).write(t)), open(t, of(now).write(t)))
			if got := rows(c); !slices.Equal(got, tt.want) || c.BodiesChanged != tt.bodies {
				t.Errorf("%q, %d bodies, want %q, %d", got, c.BodiesChanged, tt.want, tt.bodies)
			}
			lost := slices.ContainsFunc(tt.want, func(row string) bool { return strings.HasPrefix(row, "content-lost") })
			if lost != slices.ContainsFunc(c.Regressions(report.SeverityWarning), func(f report.Findings) bool { return f.ID == "content-lost" }) {
				t.Errorf("regressions %+v", c.Regressions(report.SeverityWarning))
			}
		})
	}
}

func directives(rules ...string) func(*output.Page) {
	return func(p *output.Page) {
		for _, rule := range rules {
			p.Directives = append(p.Directives, output.Directive{Rule: rule, Source: "X-Robots-Tag header"})
		}
	}
}

// That nothing changed is said only if nothing did, of what it says that was compared.
func TestUnchanged(t *testing.T) {
	const (
		nothing = "nothing changed: no finding is new or fixed, and the pages, the URLs in sitemaps and the rules of robots.txt are the same"
		partly  = nothing + ", in what both crawls read"
	)
	hash := func(h string) func(*output.Page) { return func(p *output.Page) { p.Hash = h } }
	text := func(p *output.Page) { p.ContentType, p.Words = "text/plain", 3 }
	audited := []func(*output.Page){fine("A"), hash("1"), directives("noindex")}
	for _, tt := range []struct {
		name     string
		old, now site
		want     string
	}{
		{"same", one(fine("A"), hash("1")), one(fine("A"), hash("1")), nothing},
		{"same directives in another order", one(directives("noarchive", "nofollow")), one(directives("nofollow", "noarchive", "nofollow")), nothing},
		{"body", one(hash("1")), one(hash("2")), ""},
		{"empty text that stays so", one(text), one(text), nothing},
		{"text that became empty", one(text, hash("1")), one(text), ""},
		{"text that was empty", one(text), one(text, hash("1")), ""},
		{"text that was cut", one(text, hash("1")), one(text, func(p *output.Page) { p.Truncated, p.Hash = "max-body", "2" }), partly},
		{"noindex in an audit", one(audited...), one(audited...), nothing},
		{"title with noindex in an audit", one(audited...), one(append(audited, fine("B"), hash("2"))...), ""},
		{"canonical URL with noindex in an audit", one(audited...), one(append(audited, canonical("/b"))...), ""},
		{"noindex", one(noindex), one(noindex), partly},
		{"noindex in an audit of one", one(audited...), one(noindex), partly},
		{"noindex removed in an audit", one(audited...), one(fine("A"), hash("1")), ""},
		{"noindex and nofollow", one(noindex), one(noindex, directives("nofollow")), ""},
		{"directives", one(hash("1")), one(hash("1"), directives("nofollow", "noarchive")), ""},
		{"content type", one(hash("1")), one(hash("1"), func(p *output.Page) { p.ContentType = "text/plain" }), ""},
		{"target of a redirect", one(redirected("/b")), one(redirected("/c")), ""},
		{"same redirect", one(redirected("/b")), one(redirected("/b")), nothing},
		{"other fault", one(status(404)), one(status(410)), ""},
		{"repaired", one(status(404)), one(), ""},
		{"own canonical URL by a header", one(hash("1")), one(hash("1"), canonical("/a")), ""},
		{"own canonical URL removed", one(hash("1"), canonical("/a")), one(hash("1")), ""},
		{"not modified", one(hash("1")), one(hash("1"), status(304)), nothing},
		{"listed URL that the crawl excluded", site{entries: []output.Entry{{URL: "/x"}}, rejected: []output.Rejection{{URL: "/x", Reason: output.Excluded, Source: "sitemap"}}}, site{}, ""},
		{"comment in robots.txt", site{robots: "# a\n"}, site{robots: "# b\n"}, nothing},
		{"stopped", site{stopped: true}, site{stopped: true}, partly},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compare.Compare(open(t, tt.old.write(t)), open(t, tt.now.write(t)))
			if got := c.Unchanged(); got != tt.want {
				t.Errorf("%q, want %q; changes %q, findings %q, %+v", got, tt.want, rows(c), only(c), c.NotCompared)
			}
		})
	}
}

// of is a site with pages.
func of(pages ...output.Page) site { return site{pages: pages} }

// one is a site with the page /a.
func one(change ...func(*output.Page)) site { return of(page("/a", change...)) }

// The report names one page of two with the same title, and one URL of a redirect loop. That it names
// the other one is no difference.
func TestSwappedPairsAreTheSameFinding(t *testing.T) {
	pair := func(depth int, entry string) site {
		deep := func(p *output.Page) { p.Depth = depth }
		linked := func(url string) string { // a loop begins where a page links to it
			if url == entry {
				return "link"
			}
			return "redirect"
		}
		var pages []output.Page
		for from, to := range map[string]string{"/x": "/y", "/y": "/z", "/z": "/x"} {
			pages = append(pages, page(from, redirected(to), func(p *output.Page) { p.Source = linked(from) }))
		}
		return site{pages: append(pages, page("/1", texts("Same", "Same", "1"), deep), page("/2", texts("Same", "Same", "2"), func(p *output.Page) { p.Depth = 2 }), page("/3", texts("Same", "Same", "3"), func(p *output.Page) { p.Depth = 5 }))}
	}
	for _, entry := range []string{"/x", "/y", "/z"} {
		c := compare.Compare(open(t, pair(1, "/x").write(t)), open(t, pair(3, entry).write(t)))
		if got := only(c); len(got) > 0 || c.NotCompared.Findings > 0 {
			t.Errorf("%s: %q, %+v", entry, got, c.NotCompared)
		}
	}
	c := compare.Compare(open(t, pair(1, "/x").write(t)), open(t, site{pages: append(pair(1, "/x").pages, page("/0", texts("Same", "Own", "0")))}.write(t)))
	if got := only(c); !slices.Contains(got, "new title-duplicate /1") || len(got) != 1 {
		t.Errorf("another page with the title: %q", got)
	}
}

// A finding keeps its key whichever sitemap, redirect target or page it is paired with.
func TestKeysDoNotDependOnThePair(t *testing.T) {
	named := func(s string) site {
		return site{
			pages: []output.Page{
				page("/", fine("Home")), page("/1", redirected("/2")), page("/2", redirected("/3")), page("/3", redirected("/end"+s)), page("/end"+s, fine("End")),
				page("/loop", redirected("/loop")), page("/dead", redirected("/gone"+s)), page("/gone"+s, status(404), from("/dead"), func(p *output.Page) { p.Source = "redirect" }),
				page("/a", fine("A"), canonical("/dead")), page("/4", texts("Same", "d4", "4")), page("/5"+s, texts("Same", "d5", "5")), page("/6", texts("Same", "d6", "6")),
				page("/hidden", noindex),
			},
			entries: []output.Entry{{URL: "/hidden"}, {URL: "/dead"}},
			sitemap: "/sitemap" + s + ".xml",
		}
	}
	for _, row := range only(compare.Compare(open(t, named("").write(t)), open(t, named("-x").write(t)))) {
		renamed := func(path string) bool { return strings.Contains(row, " "+path) }
		if !slices.ContainsFunc([]string{"/5", "/gone", "/end"}, renamed) {
			t.Error(row)
		}
	}
}
