package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// faultless is a crawl without findings: two pages that name each other, all checks, and a sitemap.
func faultless() *crawl {
	c := &crawl{state: map[string]any{
		"version": results.Version,
		"config": map[string]any{
			"urls": []string{example + "/"}, "user-agent": "politecrawl/0.1 (+https://example.com/bot)", "links": true,
			"check": []string{"assets", "external", "fragments", "canonical", "hreflang"}, "forbid-host": []string{"staging.example", "com"},
		},
		"ended": CrawlEnd{End: "finished"},
	}}
	c.good("/", output.Page{Source: "start", Canonical: example + "/", Hreflang: []output.Hreflang{{Lang: "en", URL: example + "/"}, {Lang: "de", URL: example + "/de"}}})
	c.good("/de", output.Page{Hreflang: []output.Hreflang{{Lang: "en", URL: example + "/"}, {Lang: "de", URL: example + "/de"}}})
	c.good("/page", output.Page{Canonical: other + "/page"})
	c.page("/old", output.Page{Status: 301, Source: "sitemap", Location: "/page"})
	c.link("/", "/page")
	c.anchors = []output.Anchors{
		{URL: example + "/", IDs: []string{"a"}, Targets: []string{example + "/#a", example + "/de#caf%C3%A9", example + "/de#b%20c", example + "/old#z", other + "/#x"}},
		{URL: example + "/de", IDs: []string{"café", "b%20c"}},
		{URL: example + "/page", IDs: []string{"z"}},
	}
	c.check("/a.png", output.Check{Kind: "img", Status: 200})
	c.check("/moved.css", output.Check{Kind: "stylesheet", Status: 301, Location: example + "/new.css"})
	c.checks = append(c.checks,
		output.Check{FetchedAt: at(100), URL: example + "/new.css", Result: output.CheckOK, Kind: "stylesheet", FoundOn: example + "/moved.css", Status: 200},
		output.Check{FetchedAt: at(100), URL: other + "/", Result: output.CheckOK, Kind: "a", FoundOn: example + "/", Status: 200},
		output.Check{FetchedAt: at(100), URL: other + "/page", Result: output.CheckOK, Kind: "canonical", FoundOn: example + "/page", Status: 200, Canonical: other + "/page"})
	c.rejected = append(c.rejected, output.Rejection{URL: other + "/", Reason: output.OutOfScope, Source: "link", FoundOn: example + "/", Depth: 1})
	c.links[0].To = append(c.links[0].To, output.Link{URL: other + "/"})
	c.sitemaps = []output.Sitemap{{URL: example + "/sitemap.xml", Status: 200, Origin: example, FoundOn: example + "/robots.txt", Pages: 2, FetchedAt: at(2)}}
	c.entry("/")
	c.entry("/de")
	c.robots = []robotsLine{{Origin: example, Outcome: "rules", Status: 200, Chain: []string{example + "/robots.txt"}, FetchedAt: at(1)}}
	return c
}

// good adds a page without faults, to which the start page links and which the sitemap lists.
func (c *crawl) good(path string, p output.Page) {
	set := func(text *string, value string) {
		if *text == "" {
			*text = value
		}
	}
	set(&p.Title, "Title of "+path)
	set(&p.Description, "All about "+path)
	set(&p.H1, "Heading")
	if p.Source == "" {
		p.Source = "link"
	}
	c.page(path, p)
	if p.Source == "link" {
		c.link("/", path)
	}
}

// listed adds a page without faults that the sitemap lists.
func (c *crawl) listed(path string, p output.Page) {
	c.good(path, p)
	c.entry(path)
}

func (c *crawl) entry(path string) {
	c.entries = append(c.entries, output.Entry{URL: example + path, Sitemap: example + "/sitemap.xml"})
}

// link adds links of a page.
func (c *crawl) link(from string, to ...string) {
	l := c.linksOf(from)
	for _, path := range to {
		if !slices.Contains(l.To, output.Link{URL: example + path}) {
			l.To = append(l.To, output.Link{URL: example + path})
		}
	}
}

func (c *crawl) linksOf(from string) *output.Links {
	for i := range c.links {
		if c.links[i].URL == example+from {
			return &c.links[i]
		}
	}
	c.links = append(c.links, output.Links{URL: example + from})
	return &c.links[len(c.links)-1]
}

// check adds an asset of the start page, or a link to it.
func (c *crawl) check(url string, k output.Check) {
	if strings.HasPrefix(url, "/") {
		url = example + url
	}
	k.URL, k.FoundOn, k.FetchedAt = url, example+"/", at(100)
	switch {
	case k.Result != "":
	case k.Status/100 == 2:
		k.Result = output.CheckOK
	case k.Status/100 == 3:
		k.Result = output.CheckRedirected
	default:
		k.Result = output.CheckBroken
	}
	c.checks = append(c.checks, k)
	l := c.linksOf("/")
	switch k.Kind {
	case "canonical", "hreflang":
	case "a":
		l.To = append(l.To, output.Link{URL: url})
	default:
		l.Resources = append(l.Resources, output.Link{URL: url, Kind: k.Kind})
	}
}

// faults has a fault of each rule, and its finding.
var faults = map[string]struct {
	add  func(*crawl)
	want Finding
}{
	"broken-link": {
		func(c *crawl) {
			c.page("/gone", output.Page{Status: 404, Source: "link"})
			c.link("/", "/gone")
			c.link("/de", "/gone")
		},
		Finding{URL: example + "/gone", Detail: "status 404", Pages: 2, FoundOn: []string{example + "/", example + "/de"}},
	},
	"invalid-url": {
		func(c *crawl) {
			c.rejected = append(c.rejected, output.Rejection{URL: "http://<x>/", Reason: output.InvalidURL, Source: "link", FoundOn: example + "/", Detail: "invalid host name"})
			for _, page := range []string{"/", "/de"} {
				l := c.linksOf(page)
				l.To = append(l.To, output.Link{URL: "http://<x>/"})
			}
			c.rejected = append(c.rejected, output.Rejection{URL: "http://<y>/", Reason: output.InvalidURL, Source: "sitemap", FoundOn: example + "/sitemap.xml"})
		},
		Finding{URL: "http://<x>/", Detail: "invalid host name", Pages: 2, FoundOn: []string{example + "/", example + "/de"}},
	},
	"broken-external": {
		func(c *crawl) {
			c.check(other+"/gone", output.Check{Kind: "a", Status: 410})
			l := c.linksOf("/de")
			l.To = append(l.To, output.Link{URL: other + "/gone"})
		},
		Finding{URL: other + "/gone", Detail: "status 410", Pages: 2, FoundOn: []string{example + "/", example + "/de"}},
	},
	"broken-fragment": {
		func(c *crawl) { c.anchors[0].Targets = append(c.anchors[0].Targets, example+"/de#missing") },
		Finding{URL: example + "/de#missing", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"forbidden-host": {
		func(c *crawl) { c.check("https://cdn.staging.example/a.png", output.Check{Kind: "img", Status: 200}) },
		Finding{URL: "https://cdn.staging.example/a.png", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"link-redirected-permanently": {
		func(c *crawl) {
			c.page("/moved", output.Page{Status: 308, Source: "link", Location: "/page"})
			c.link("/", "/moved")
		},
		Finding{URL: example + "/moved", Detail: "status 308", Related: example + "/page", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"link-redirected": {
		func(c *crawl) {
			c.page("/today", output.Page{Status: 302, Source: "link", Location: "/page"})
			c.link("/", "/today")
			c.link("/de", "/today")
		},
		Finding{URL: example + "/today", Detail: "status 302", Related: example + "/page", Pages: 2, FoundOn: []string{example + "/", example + "/de"}},
	},
	"link-double-slash": {func(c *crawl) { c.link("/de", "//page") }, Finding{URL: example + "//page", Pages: 1, FoundOn: []string{example + "/de"}}},
	"unverified": {
		func(c *crawl) {
			c.check(other+"/wall", output.Check{Kind: "a", Status: 403, Result: output.CheckUnverified})
		},
		Finding{URL: other + "/wall", Detail: "status 403", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"broken-asset": {
		func(c *crawl) {
			c.check("/moved.png", output.Check{Kind: "img", Status: 302, Location: example + "/lost.png"})
			c.checks = append(c.checks, output.Check{FetchedAt: at(100), URL: example + "/lost.png", Result: output.CheckBroken, Kind: "img", FoundOn: example + "/moved.png", Status: 404})
			l := c.linksOf("/de")
			l.Resources = append(l.Resources, output.Link{URL: example + "/moved.png", Kind: "img"})
		},
		Finding{URL: example + "/moved.png", Detail: "status 302, then status 404", Related: example + "/lost.png", Pages: 2, FoundOn: []string{example + "/", example + "/de"}},
	},
	"mixed-content": {
		func(c *crawl) {
			c.check("http://example.com/b.png", output.Check{Kind: "img", Status: 200})
			c.check("http://example.com/feed", output.Check{Kind: "link", Status: 200}) // no browser fetches it
		},
		Finding{URL: "http://example.com/b.png", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"start-noindex": {
		func(c *crawl) {
			c.page("/start", output.Page{Source: "start", Directives: []output.Directive{{Rule: "noindex", Source: "X-Robots-Tag: noindex"}}})
		},
		Finding{URL: example + "/start", Detail: `"noindex" in the X-Robots-Tag: noindex`},
	},
	"needs-javascript": {
		func(c *crawl) {
			for _, path := range []string{"/", "/about"} {
				c.good(path, output.Page{Source: "start", Title: "App " + path, Description: "App " + path, NeedsJavaScript: true})
				c.last().URL = "https://app.example" + path
			}
		},
		Finding{URL: "https://app.example/", Detail: "2 pages have no text and no links without scripts"},
	},
	"title-missing": {func(c *crawl) { c.listed("/untitled", output.Page{}); c.last().Title = "" }, Finding{URL: example + "/untitled"}},
	"title-duplicate": {
		func(c *crawl) { c.listed("/same-title", output.Page{Title: "Title of /de", Depth: 1}) },
		Finding{URL: example + "/same-title", Detail: "Title of /de", Related: example + "/de"},
	},
	"title-long": {
		func(c *crawl) { c.listed("/long-title", output.Page{Title: strings.Repeat("é", maxTitle+1)}) },
		Finding{URL: example + "/long-title", Detail: "71 characters: " + strings.Repeat("é", maxTitle+1)},
	},
	"description-missing": {func(c *crawl) { c.listed("/undescribed", output.Page{}); c.last().Description = "" }, Finding{URL: example + "/undescribed"}},
	"description-duplicate": {
		func(c *crawl) { c.listed("/same-description", output.Page{Description: "All about /de", Depth: 1}) },
		Finding{URL: example + "/same-description", Detail: "All about /de", Related: example + "/de"},
	},
	"description-long": {
		func(c *crawl) {
			c.listed("/long-description", output.Page{Description: strings.Repeat("é", maxDescription+1)})
		},
		Finding{URL: example + "/long-description", Detail: "161 characters: " + strings.Repeat("é", maxDescription+1)},
	},
	"h1-missing":     {func(c *crawl) { c.listed("/no-h1", output.Page{}); c.last().H1 = "" }, Finding{URL: example + "/no-h1"}},
	"h1-multiple":    {func(c *crawl) { c.listed("/two-h1", output.Page{H1Count: 2}) }, Finding{URL: example + "/two-h1", Detail: "2 h1 elements"}},
	"alt-missing":    {func(c *crawl) { c.listed("/no-alt", output.Page{ImagesWithoutAlt: 3}) }, Finding{URL: example + "/no-alt", Detail: "3 images"}},
	"page-malformed": {func(c *crawl) { c.listed("/malformed", output.Page{Malformed: "line 3: why"}) }, Finding{URL: example + "/malformed", Detail: "line 3: why"}},
	"page-deep":      {func(c *crawl) { c.listed("/deep", output.Page{Depth: maxLinksAway + 1}) }, Finding{URL: example + "/deep", Detail: "6 links away"}},
	"page-slow":      {func(c *crawl) { c.listed("/slow", output.Page{DurationMS: 3001}) }, Finding{URL: example + "/slow", Detail: "3.0 s"}},
	"page-large":     {func(c *crawl) { c.listed("/large", output.Page{Bytes: 3 << 20}) }, Finding{URL: example + "/large", Detail: "3.1 MB"}},
	"redirect-loop": {
		func(c *crawl) {
			c.page("/loop", output.Page{Status: 301, Source: "link", Location: "/loop"})
			c.link("/", "/loop")
		},
		Finding{URL: example + "/loop", Detail: "1 redirect", Related: example + "/loop", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"redirect-dead-end": {
		func(c *crawl) {
			c.page("/to-error", output.Page{Status: 301, Source: "link", Location: "/error"})
			c.page("/error", output.Page{Status: 500, Source: "redirect", FoundOn: example + "/to-error"})
			c.link("/", "/to-error")
		},
		Finding{URL: example + "/to-error", Detail: "1 redirect, then status 500", Related: example + "/error", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"redirect-chain": {
		func(c *crawl) {
			c.page("/far", output.Page{Status: 301, Source: "link", Location: "/near"})
			c.page("/near", output.Page{Status: 301, Source: "redirect", Location: "/page"})
			c.link("/", "/far")
		},
		Finding{URL: example + "/far", Detail: "2 redirects", Related: example + "/page", Pages: 1, FoundOn: []string{example + "/"}},
	},
	"canonical-broken": {
		func(c *crawl) {
			c.good("/canonical-broken", output.Page{Canonical: other + "/lost"})
			c.check(other+"/lost", output.Check{Kind: "canonical", Status: 404})
		},
		Finding{URL: example + "/canonical-broken", Detail: "status 404", Related: other + "/lost"},
	},
	"canonical-redirect": {
		func(c *crawl) { c.good("/canonical-moved", output.Page{Canonical: example + "/old"}) },
		Finding{URL: example + "/canonical-moved", Detail: "status 301", Related: example + "/old"},
	},
	"canonical-disallowed": {
		func(c *crawl) {
			c.good("/canonical-closed", output.Page{Canonical: other + "/closed"})
			c.check(other+"/closed", output.Check{Kind: "canonical", Result: output.CheckUnverified, Reason: output.Disallowed})
		},
		Finding{URL: example + "/canonical-closed", Related: other + "/closed"},
	},
	"canonical-noindex": {
		func(c *crawl) {
			c.good("/canonical-noindex", output.Page{Canonical: example + "/hidden"})
			c.good("/hidden", output.Page{Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}})
		},
		Finding{URL: example + "/canonical-noindex", Related: example + "/hidden"},
	},
	"canonical-chain": {func(c *crawl) { c.good("/canonical-chain", output.Page{Canonical: example + "/page"}) }, Finding{URL: example + "/canonical-chain", Related: example + "/page"}},
	"hreflang-broken": {func(c *crawl) { c.hreflang("/fr", example+"/old") }, Finding{URL: example + "/fr", Detail: "fr: status 301", Related: example + "/old"}},
	"hreflang-disallowed": {
		func(c *crawl) {
			c.hreflang("/it", example+"/it/closed")
			c.reject("/it/closed", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /it/", Line: 3, Source: "sitemap", FoundOn: other + "/sitemap.xml"})
		},
		Finding{URL: example + "/it", Detail: "fr: Disallow: /it/", Line: 3, Related: example + "/it/closed"},
	},
	"hreflang-noindex": {
		func(c *crawl) {
			c.hreflang("/es", other+"/es")
			c.check(other+"/es", output.Check{Kind: "hreflang", Status: 200, Noindex: "noindex"})
		},
		Finding{URL: example + "/es", Detail: "fr", Related: other + "/es"},
	},
	"hreflang-no-return": {func(c *crawl) { c.hreflang("/pt", example+"/de") }, Finding{URL: example + "/pt", Detail: "fr", Related: example + "/de"}},
	"sitemap-broken": {
		func(c *crawl) {
			c.page("/listed-gone", output.Page{Status: 404, Source: "sitemap"})
			c.entry("/listed-gone")
		},
		listedFault("/listed-gone", "status 404"),
	},
	"sitemap-unreadable": {
		func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: other + "/gone.xml", Status: 404, Origin: other, FoundOn: other + "/robots.txt", FetchedAt: at(3)})
		},
		Finding{URL: other + "/gone.xml", Detail: "status 404", Related: other + "/robots.txt"},
	},
	"sitemap-incomplete": {
		func(c *crawl) {
			c.sitemaps = append(c.sitemaps, output.Sitemap{URL: other + "/cut.xml", Status: 200, Origin: other, FoundOn: other + "/index.xml", Pages: 1, Detail: "line 9: cut", FetchedAt: at(3)})
		},
		Finding{URL: other + "/cut.xml", Detail: "line 9: cut", Related: other + "/index.xml"},
	},
	"sitemap-redirected": {func(c *crawl) { c.entry("/old") }, listedFault("/old", "status 301 to "+example+"/page")},
	"sitemap-disallowed": {
		func(c *crawl) {
			c.reject("/closed", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /closed", Line: 2, Source: "sitemap"})
			c.entry("/closed")
		},
		Finding{URL: example + "/closed", Detail: "Disallow: /closed", Line: 2, Related: example + "/sitemap.xml"},
	},
	"sitemap-noindex": {
		func(c *crawl) {
			c.listed("/listed-noindex", output.Page{Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}})
		},
		listedFault("/listed-noindex", `"noindex" in the 1st robots meta element`),
	},
	"sitemap-canonical-elsewhere": {func(c *crawl) { c.listed("/listed-copy", output.Page{Canonical: example + "/de"}) }, listedFault("/listed-copy", example+"/de")},
	"sitemap-not-authorized": {
		func(c *crawl) {
			c.reject("/foreign", output.Rejection{Reason: output.NotAuthorized, Source: "sitemap"})
			c.entry("/foreign")
		},
		listedFault("/foreign", ""),
	},
	"sitemap-invalid-lastmod": {
		func(c *crawl) {
			c.entries = append(c.entries, output.Entry{URL: example + "/", Sitemap: example + "/sitemap.xml", LastMod: time.Unix(0, 0)})
		},
		listedFault("/", "1970-01-01: before the first website"),
	},
	"sitemap-not-linked": {func(c *crawl) { c.listed("/orphan", output.Page{Source: "sitemap"}) }, listedFault("/orphan", "")},
	"sitemap-not-listed": {func(c *crawl) { c.good("/unlisted", output.Page{}) }, Finding{URL: example + "/unlisted", Detail: "found on " + example + "/"}},
	"sitemap-not-fetched": {
		func(c *crawl) {
			c.reject("/?sort=1", output.Rejection{Reason: output.DuplicateURL, Source: "sitemap"})
			c.entry("/?sort=1")
		},
		listedFault("/?sort=1", "duplicate-url"),
	},
	"robots-unreachable": {
		func(c *crawl) {
			c.robots = append(c.robots, robotsLine{Origin: bare, Outcome: "unreachable", Status: 503, Chain: []string{bare + "/robots.txt"}, FetchedAt: at(5), FailingSince: at(5)})
		},
		Finding{URL: bare + "/robots.txt", Detail: "status 503"},
	},
	"link-to-disallowed": {
		func(c *crawl) {
			c.reject("/private", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /private", Line: 4, Source: "link"})
			c.link("/de", "/private")
		},
		Finding{URL: example + "/private", Detail: "Disallow: /private", Line: 4, Related: example + "/robots.txt", Pages: 1, FoundOn: []string{example + "/de"}},
	},
}

func listedFault(path, detail string) Finding {
	return Finding{URL: example + path, Detail: detail, Related: example + "/sitemap.xml"}
}

func (c *crawl) last() *output.Page { return &c.pages[len(c.pages)-1] }

// hreflang adds a page with an hreflang link to a URL.
func (c *crawl) hreflang(path, to string) {
	c.listed(path, output.Page{Hreflang: []output.Hreflang{{Lang: "fr", URL: to}}})
}

// rowsByRule returns the findings by rule, without rules that have none.
func rowsByRule(r *Report) map[string][]Finding {
	all := make(map[string][]Finding)
	for _, f := range r.Findings {
		if f.Total != 0 || len(f.Rows) != 0 {
			all[f.ID] = f.Rows
		}
	}
	return all
}

// everyFault is a crawl with a fault of each rule.
func everyFault() *crawl {
	c := faultless()
	for _, rule := range rules {
		faults[rule.ID].add(c)
	}
	return c
}

func TestEachFaultIsFoundOnce(t *testing.T) {
	r := faultless().make(t)
	if diff := cmp.Diff(map[string][]Finding{}, rowsByRule(r)); diff != "" || len(r.Findings) != len(rules) {
		t.Errorf("%d rules; findings of a site without faults (-want +got):\n%s", len(r.Findings), diff)
	}
	for _, f := range r.Findings {
		if len(f.Caveats) > 0 {
			t.Errorf("%s: caveats %q", f.ID, f.Caveats)
		}
	}
	for _, h := range r.Highlights {
		if h.Level != OK {
			t.Errorf("of a site without faults: %+v", h)
		}
	}
	want := make(map[string][]Finding)
	for _, rule := range rules {
		fault, ok := faults[rule.ID]
		if !ok {
			t.Errorf("no fault of %s", rule.ID)
			continue
		}
		want[rule.ID] = []Finding{fault.want}
		if testing.Short() {
			continue // all together suffice
		}
		t.Run(rule.ID, func(t *testing.T) {
			c := faultless()
			fault.add(c)
			want := map[string][]Finding{rule.ID: {fault.want}}
			r := c.make(t)
			if diff := cmp.Diff(want, rowsByRule(r)); diff != "" || FindingsOf(r, rule.ID).Total != 1 {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(want, rowsByRule(everyFault().make(t))); diff != "" {
		t.Errorf("all together (-want +got):\n%s", diff)
	}
}

// A link element such as license leads to a file of the site, or is a link to another site.
func TestLinkElements(t *testing.T) {
	c := faultless()
	c.check("/feed", output.Check{Kind: "link", Status: 404})
	c.check(other+"/license", output.Check{Kind: "link", Status: 404})
	got := rowsByRule(c.make(t))
	want := map[string][]Finding{
		"broken-asset":    {{URL: example + "/feed", Detail: "status 404", Pages: 1, FoundOn: []string{example + "/"}}},
		"broken-external": {{URL: other + "/license", Detail: "status 404", Pages: 1, FoundOn: []string{example + "/"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A frame is a link, and a part of its page in an archive.
func TestFramesOfArchives(t *testing.T) {
	for kind, rule := range map[string]string{"frame": "broken-external", "iframe": "broken-asset"} {
		c := faultless()
		c.check(other+"/frame", output.Check{Kind: kind, Status: 404})
		want := map[string][]Finding{rule: {{URL: other + "/frame", Detail: "status 404", Pages: 1, FoundOn: []string{example + "/"}}}}
		if diff := cmp.Diff(want, rowsByRule(c.make(t))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// Without --check, the report has no rules of checks, and says what is not known.
func TestRulesOfChecksNeedChecks(t *testing.T) {
	c := faultless()
	config := c.state["config"].(map[string]any)
	delete(config, "check")
	c.checks, c.anchors = nil, nil
	for _, check := range []string{"", checkAssets, checkExternal, checkFragments} {
		want := map[string][]string{
			"": nil, checkAssets: {"unverified", "broken-asset", "mixed-content"}, checkExternal: {"broken-external", "unverified"}, checkFragments: {"broken-fragment"},
		}[check]
		if check != "" {
			config["check"] = []string{check}
		}
		r := c.make(t)
		var got []string
		for _, rule := range []string{"broken-external", "broken-fragment", "unverified", "broken-asset", "mixed-content"} {
			if FindingsOf(r, rule) != nil {
				got = append(got, rule)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("--check %q (-want +got):\n%s", check, diff)
		}
		caveat := "the target of 1 canonical link is not known: it was not fetched, or without content; to check such targets, crawl with --check canonical"
		if got := inconclusive(r, "canonical-broken"); !slices.Equal(got, []string{caveat}) {
			t.Errorf("--check %q: caveats %q", check, got)
		}
	}
}

// A page without content, by a recrawl or by noindex, has no findings about its content.
func TestPagesWithoutContentAreLeftOut(t *testing.T) {
	c := faultless()
	c.page("/same", output.Page{Status: 304, Source: "link", Unchanged: true})
	c.page("/withheld", output.Page{Source: "link", Withheld: "noindex"})
	c.link("/", "/same", "/withheld")
	c.links = append(c.links, output.Links{URL: example + "/same", To: []output.Link{}})
	c.anchors[0].Targets = append(c.anchors[0].Targets, example+"/same#unknown", example+"/withheld#unknown")
	c.pages[0].Hreflang = append(c.pages[0].Hreflang, output.Hreflang{Lang: "fr", URL: example + "/same"})
	r := c.make(t)
	if diff := cmp.Diff(map[string][]Finding{}, rowsByRule(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const unchanged = "1 page is unchanged since the last crawl, and left out: the content is not known"
	for rule, want := range map[string][]string{
		"title-missing": {unchanged}, "broken-link": {}, "canonical-chain": {unchanged},
		"hreflang-no-return": {unchanged, "the target of 1 hreflang link is not known: it was not fetched, or without content"},
	} {
		if diff := cmp.Diff(want, inconclusive(r, rule)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// A page that a recrawl found unchanged (304) has the findings, duplicates and directives of its content.
func TestUnchangedPagesCountWithTheirContent(t *testing.T) {
	reports := make(map[int]*Report)
	for _, status := range []int{200, 304} {
		c := faultless()
		for path, p := range map[string]output.Page{
			"/untitled": {Hash: "ab"}, "/copy": {Hash: "ab"}, "/elsewhere": {Hash: "cd", Canonical: example + "/no"},
			"/no": {Withheld: "noindex", Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}}},
		} {
			p.Source, p.Status, p.Unchanged = "link", status, true
			c.page(path, p)
			c.link("/", path)
			c.permission(path)
		}
		slices.SortStableFunc(c.pages, func(a, b output.Page) int { return strings.Compare(a.URL, b.URL) })
		for i := range c.pages {
			c.pages[i].FetchedAt = at(i)
		}
		c.pages[0].Hreflang = append(c.pages[0].Hreflang, output.Hreflang{Lang: "fr", URL: example + "/untitled"})
		reports[status] = c.make(t)
	}
	was, is := reports[200], reports[304]
	if diff := cmp.Diff(rowsByRule(was), rowsByRule(is)); diff != "" || len(found(is, "title-missing")) != 2 || len(found(is, "canonical-noindex")) != 1 {
		t.Errorf("findings (-status 200 +status 304):\n%s", diff)
	}
	if diff := cmp.Diff(was.Findings, is.Findings) + cmp.Diff(was.Duplicates, is.Duplicates) + cmp.Diff(was.Notes, is.Notes) + cmp.Diff(was.Permissions, is.Permissions); diff != "" {
		t.Errorf("the rest (-status 200 +status 304):\n%s", diff)
	}
	if n := len(is.Statuses); is.Statuses[n-1] != (Status{304, 4}) {
		t.Errorf("responses %+v", is.Statuses)
	}
}

// A URL with a finding about its redirects has no other one about the links to it.
func TestLinksToRedirects(t *testing.T) {
	for name, tt := range map[string]struct {
		add  func(*crawl)
		want []string // the rules with findings
	}{
		"only in a sitemap": {func(c *crawl) { c.page("/a", output.Page{Status: 301, Source: "sitemap", Location: "/page"}) }, nil},
		"to another site": {func(c *crawl) {
			c.page("/a", output.Page{Status: 301, Source: "link", Location: other + "/"})
			c.link("/", "/a")
		}, []string{"link-redirected-permanently"}},
		"see other": {func(c *crawl) {
			c.page("/a", output.Page{Status: 303, Source: "link", Location: "/page"})
			c.link("/", "/a")
		}, []string{"link-redirected"}},
		"a dead end": {func(c *crawl) {
			c.page("/a", output.Page{Status: 301, Source: "link", Location: "/b"})
			c.page("/b", output.Page{Status: 404, Source: "redirect"})
			c.link("/", "/a")
		}, []string{"redirect-dead-end"}},
		"inside a chain": {func(c *crawl) {
			c.page("/a", output.Page{Status: 301, Source: "link", Location: "/b"})
			c.page("/b", output.Page{Status: 301, Source: "link", Location: "/page"})
			c.link("/", "/a", "/b")
		}, []string{"link-redirected-permanently", "redirect-chain"}},
	} {
		c := faultless()
		tt.add(c)
		var got []string
		for _, f := range c.make(t).Findings {
			if f.Total > 0 {
				got = append(got, f.ID)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestLinksWithDoubleSlashes(t *testing.T) {
	c := faultless()
	l := c.linksOf("/de")
	for _, url := range []string{
		example + "/a//b", example + "//", example + "/a//?q", example + "/a?u=//b", example + "/a/https://other.example/", other + "/a//b", example + "/",
	} {
		l.To = append(l.To, output.Link{URL: url})
	}
	if got, want := found(c.make(t), "link-double-slash"), []string{"//", "/a//?q", "/a//b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A page that names a forbidden host in another way than by a link is a finding too. The site itself
// is no forbidden subdomain.
// A URL on a forbidden host is one finding, however many pages use it, and in whatever ways.
func TestForbiddenHosts(t *testing.T) {
	c := faultless()
	const staging, version, login = "http://staging.example:8080/x", "http://staging.example/fr/", "http://staging.example/login"
	c.good("/c", output.Page{Canonical: staging})
	toStaging := c.linksOf("/c")
	toStaging.To = append(toStaging.To, output.Link{URL: staging})
	for _, path := range []string{"/h", "/h2"} {
		c.good(path, output.Page{Hreflang: []output.Hreflang{{Lang: "fr", URL: version}, {Lang: "x-default", URL: version}}})
	}
	c.page("/r", output.Page{Status: 302, Source: "sitemap", Location: staging})
	c.page("/s", output.Page{Status: 302, Source: "sitemap", Location: login}) // until it has its cookies
	c.good("/s", output.Page{})
	for _, page := range []string{"/", "/de"} {
		l := c.linksOf(page)
		l.To = append(l.To, output.Link{URL: staging}, output.Link{URL: "https://staging.example.org/"})
		l.Resources = append(l.Resources, output.Link{URL: staging, Kind: "img"})
	}
	want := []Finding{
		{URL: staging, Detail: "canonical URL, target of a redirect", Pages: 4, FoundOn: []string{example + "/", example + "/c", example + "/de", example + "/r"}},
		{URL: version, Detail: "hreflang URL", Pages: 2, FoundOn: []string{example + "/h", example + "/h2"}},
		{URL: login, Detail: "target of a redirect", Pages: 1, FoundOn: []string{example + "/s"}},
	}
	got := FindingsOf(c.make(t), "forbidden-host")
	if diff := cmp.Diff(want, got.Rows); diff != "" || got.Total != len(want) {
		t.Errorf("%d in all (-want +got):\n%s", got.Total, diff)
	}
	c.state["config"].(map[string]any)["forbid-host"] = nil
	if got := FindingsOf(c.make(t), "forbidden-host"); got != nil {
		t.Errorf("without forbidden hosts: %+v", got)
	}
}

// Versions of a page for other languages may have its title and description. A link in one direction
// does not make a version.
func TestVersionsAreNoDuplicates(t *testing.T) {
	c := faultless()
	same := output.Page{Title: "Same", Description: "Same"}
	for _, path := range []string{"/a", "/a-de", "/b", "/c"} {
		p := same
		if path != "/c" {
			p.Hreflang = []output.Hreflang{{Lang: "en", URL: example + "/a"}, {Lang: "de", URL: example + "/a-de"}}
		}
		c.listed(path, p)
	}
	r := c.make(t)
	want := []Finding{{URL: example + "/b", Detail: "Same", Related: example + "/a"}, {URL: example + "/c", Detail: "Same", Related: example + "/a"}}
	for _, rule := range []string{"title-duplicate", "description-duplicate"} {
		got := FindingsOf(r, rule)
		if diff := cmp.Diff(want, got.Rows); diff != "" || got.Total != 2 {
			t.Errorf("%s: %d in all (-want +got):\n%s", rule, got.Total, diff)
		}
	}
}

// A start URL with noindex is an error wherever the directive is: on the page to which it redirects, or
// where the content was withheld. Broken pages and other pages are not start pages that lack it.
func TestStartURLsWithNoindex(t *testing.T) {
	noindex := []output.Directive{{Rule: "none", Source: "1st robots meta element"}}
	for name, tt := range map[string]struct {
		pages []output.Page
		want  []Finding
	}{
		"withheld": {[]output.Page{{Source: "start", Withheld: "noindex"}}, []Finding{{URL: example + "/0", Detail: "noindex"}}},
		"by redirects": {
			[]output.Page{{Source: "start", Status: 301, Location: "/1"}, {Source: "redirect", Status: 302, Location: "/2"}, {Source: "redirect", Directives: noindex}},
			[]Finding{{URL: example + "/0", Detail: "redirects to a page with noindex", Related: example + "/2"}},
		},
		"by itself until it has its cookies": {
			[]output.Page{{Source: "start", Status: 302, Location: "/0"}, {URL: "/0", Source: "start", Withheld: "noindex"}},
			[]Finding{{URL: example + "/0", Detail: "noindex"}},
		},
		"unchanged":      {[]output.Page{{Source: "start", Status: 304, Unchanged: true, Directives: noindex}}, []Finding{{URL: example + "/0", Detail: `"none" in the 1st robots meta element`}}},
		"broken":         {[]output.Page{{Source: "start", Status: 404, Directives: noindex}}, []Finding{}},
		"other page":     {[]output.Page{{Source: "sitemap", Directives: noindex}}, []Finding{}},
		"other redirect": {[]output.Page{{Source: "sitemap", Status: 301, Location: "/1"}, {Source: "redirect", Directives: noindex}}, []Finding{}},
	} {
		c := faultless()
		for i, p := range tt.pages {
			path := p.URL
			if path == "" {
				path = fmt.Sprint("/", i)
			}
			c.page(path, p)
		}
		if diff := cmp.Diff(tt.want, FindingsOf(c.make(t), "start-noindex").Rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A site needs JavaScript only if no page of it shows anything without.
func TestSitesThatNeedJavaScript(t *testing.T) {
	c, names := faultless(), make(map[string]string) // by site
	var want []string
	for name, tt := range map[string]struct {
		other output.Page
		needs bool
	}{
		"a page without scripts": {output.Page{}, false},
		"a page with noindex":    {output.Page{Withheld: "noindex"}, false},
		"an unchanged page":      {output.Page{Status: 304, Unchanged: true}, false},
		"an unchanged app":       {output.Page{NeedsJavaScript: true, Status: 304, Unchanged: true, Hash: "ab"}, true},
		"a truncated page":       {output.Page{NeedsJavaScript: true, LimitsReached: []string{"max-body"}}, false},
		"a page that failed":     {output.Page{Status: 500}, true},
		"a redirect":             {output.Page{Status: 301, Location: "/app"}, true},
		"an image":               {output.Page{ContentType: "image/png"}, true},
	} {
		site := fmt.Sprintf("https://app-%d.example/", len(c.pages))
		for _, p := range []output.Page{{NeedsJavaScript: true}, tt.other} {
			p.Source = "start"
			c.page("/app", p)
			c.last().URL = site + fmt.Sprint(len(c.pages))
		}
		names[site] = name
		if tt.needs {
			want = append(want, name)
		}
	}
	var got []string
	for _, f := range FindingsOf(c.make(t), "needs-javascript").Rows {
		got = append(got, names[originOf(f.URL)+"/"])
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sites that need JavaScript (-want +got):\n%s", diff)
	}
}

// Elements that come after the end of a truncated page are not missing.
func TestTruncatedPagesMissNoElements(t *testing.T) {
	c := faultless()
	c.listed("/cut", output.Page{Truncated: "max-body", LimitsReached: []string{"max-body"}})
	c.last().Title, c.last().Description, c.last().H1 = "", "", ""
	c.anchors[0].Targets = append(c.anchors[0].Targets, example+"/cut#end")
	r := c.make(t)
	if diff := cmp.Diff(map[string][]Finding{}, rowsByRule(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := []string{"1 page has more text or links than the limits allow"}; !slices.Equal(inconclusive(r, "h1-missing"), want) {
		t.Errorf("caveats %q", inconclusive(r, "h1-missing"))
	}
}

// The ids of a page that was fetched before fragments were checked are not known, so links to them
// are not broken.
func TestPagesWithoutAnchorsAreLeftOut(t *testing.T) {
	c := faultless()
	c.listed("/before", output.Page{})
	c.page("/moved", output.Page{Status: 301, Source: "sitemap", Location: "/before"})
	c.anchors[0].Targets = append(c.anchors[0].Targets, example+"/before#a", example+"/before#b", example+"/moved#a", example+"/de#missing")
	r := c.make(t)
	want := map[string][]Finding{"broken-fragment": {{URL: example + "/de#missing", Pages: 1, FoundOn: []string{example + "/"}}}}
	if diff := cmp.Diff(want, rowsByRule(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := []string{"1 page was fetched without --check fragments: the ids are not known"}; !slices.Equal(inconclusive(r, "broken-fragment"), want) {
		t.Errorf("caveats %q", inconclusive(r, "broken-fragment"))
	}
}

// Of the ids of all pages, only those to which links lead take memory.
func TestOnlyIDsOfTargetsAreKept(t *testing.T) {
	f := newFragments(&facts{byURL: map[key]fact{keyOf("u"): {marks: htmlPage}, keyOf("v"): {marks: htmlPage}}}, newRedirects(nil, 1))
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	lines := []output.Anchors{{URL: "u", IDs: ids}, {URL: "v", IDs: ids, Targets: []string{"u#7", "u#missing"}}}
	for i := range lines {
		f.addTargets(nil, &lines[i])
	}
	f.follow()
	for i := range lines {
		f.addIDs(nil, &lines[i])
	}
	if len(f.ids) != 2 || len(f.pages) != 1 {
		t.Errorf("%d ids of %d pages are kept", len(f.ids), len(f.pages))
	}
	missing := 0
	for _, t := range f.targets {
		if f.isMissing(t) {
			missing++
		}
	}
	if missing != 1 {
		t.Errorf("%d targets are missing", missing)
	}
}

// Options.Rows limits the rows of each rule to the first ones, not its total.
func TestRowsOfFindingsAreLimited(t *testing.T) {
	c := faultless()
	for i := range 50 {
		path := fmt.Sprintf("/%02d", i)
		c.listed(path, output.Page{Title: "Same", Description: "Same", H1Count: 2, Depth: 9, Canonical: example + "/old", Hreflang: []output.Hreflang{{Lang: "fr", URL: example + "/old"}}})
		c.page("/gone"+path, output.Page{Status: 404, Source: "link"})
		c.link("/", "/gone"+path)
		c.anchors[0].Targets = append(c.anchors[0].Targets, example+"/de#"+path)
		c.check("http://example.com/asset"+path, output.Check{Kind: "img", Status: 404})
	}
	for i := range 50 {
		c.pages = append(c.pages, c.pages[4+2*i])
		c.last().URL += "b"
		c.last().Canonical = ""
	}
	r, err := Generate(t.Context(), []string{c.write(t)}, &Options{Rows: 3})
	if err != nil {
		t.Fatal(err)
	}
	for rule, total := range map[string]int{
		"broken-link": 50, "broken-fragment": 50, "broken-asset": 50, "mixed-content": 50, "canonical-redirect": 50,
		"title-duplicate": 49, "description-duplicate": 49, "h1-multiple": 50, "page-deep": 50, "hreflang-broken": 50,
	} {
		f := FindingsOf(r, rule)
		if f.Total != total || len(f.Rows) != 3 || !slices.IsSortedFunc(f.Rows, byPages) {
			t.Errorf("%s: %d, %+v", rule, f.Total, f.Rows)
		}
	}
	if f := FindingsOf(r, "broken-link").Rows; f[0].URL != example+"/gone/00" || f[2].URL != example+"/gone/02" {
		t.Errorf("not the first: %+v", f)
	}
}

// hostileFindings is a crawl with findings of each rule of pages and checks in texts of a site, n
// of each.
func hostileFindings(n int) *crawl {
	c := faultless()
	for i := range n {
		short := hostile[i%len(hostile)]
		short = short[:min(len(short), 99)]
		text := fmt.Sprintf("%s %d", short, i)
		long := strings.Repeat(short, 20)
		url := example + "/" + text
		c.pages = append(c.pages, output.Page{
			URL: url, Status: 200, ContentType: "text/html", Source: "link", FoundOn: text, Title: long + text, Description: long,
			Hreflang: []output.Hreflang{{Lang: text, URL: example + "/old"}, {Lang: text, URL: text}}, Depth: 6, H1Count: 2, FetchedAt: at(2),
		}, output.Page{URL: url + "c", Status: 200, ContentType: "text/html", Source: "link", Canonical: example + "/old", FetchedAt: at(2)})
		c.links = append(c.links, output.Links{URL: url, Resources: []output.Link{{URL: "http://" + text, Kind: text}, {URL: text, Kind: text}}})
		c.checks = append(c.checks,
			output.Check{URL: text, Result: output.CheckBroken, Kind: text, FoundOn: text, Reason: output.Failed, Detail: long, ContentType: text, FetchedAt: at(3)},
			output.Check{URL: text + "l", Result: output.CheckRedirected, Status: 301, Kind: "a", FoundOn: text, Location: text, FetchedAt: at(3)},
			output.Check{URL: text + "u", Result: "unknown", Kind: "a", FoundOn: text, Canonical: text, Noindex: text, Hreflang: []output.Hreflang{{Lang: text, URL: text}}, FetchedAt: at(3)})
		c.anchors = append(c.anchors, output.Anchors{URL: url, IDs: []string{text, ""}, Targets: []string{text, example + "/de#" + text, "#", example + "/de#%zz"}})
	}
	return c
}

func TestTextsOfFindingsAreEscaped(t *testing.T) {
	r := hostileFindings(2 * len(hostile)).make(t)
	for rule, total := range map[string]int{
		"broken-asset": 2 * len(hostile), "mixed-content": 2 * len(hostile), "broken-fragment": 2*len(hostile) + 1,
		"title-long": 2 * len(hostile), "description-duplicate": len(hostile), "hreflang-broken": 4 * len(hostile),
	} {
		if f := FindingsOf(r, rule); f.Total != total {
			t.Errorf("%s: %d findings, want %d", rule, f.Total, total)
		}
	}
	wantNoMarkup(t, r)
}

// A hostile site decides how many findings there are and what their texts are, not how much memory
// they need.
func TestManyFindingsAreLimited(t *testing.T) {
	const n, rows = 1_000, 100 // of each of a dozen rules
	dir := hostileFindings(n).write(t)
	before := heap()
	r, err := Generate(t.Context(), []string{dir}, &Options{Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	if grown := int(heap()-before) - 2_000_000; grown > 0 {
		t.Errorf("the report has %d bytes more than 2 MB", grown)
	}
	total := 0
	for _, f := range r.Findings {
		total += f.Total
		if len(f.Rows) > rows {
			t.Errorf("%s has %d rows", f.ID, len(f.Rows))
		}
		for _, row := range f.Rows {
			if len(row.Detail) > maxText+50 || len(row.FoundOn) > maxExamples {
				t.Fatalf("%s: %d bytes of detail, %d pages", f.ID, len(row.Detail), len(row.FoundOn))
			}
		}
	}
	if total < 10*n {
		t.Errorf("%d findings", total)
	}
}

// A sitemap that a robots.txt or an index names has to be readable. Pages of its origin are not
// reported as missing in sitemaps, unless the file does not exist.
func TestUnreadableSitemaps(t *testing.T) {
	const robots, index, file = example + "/robots.txt", example + "/sitemap.xml", example + "/other.xml"
	named := output.Sitemap{URL: file, Status: 200, Origin: example, FoundOn: robots, FetchedAt: at(3)}
	with := func(change func(*output.Sitemap)) func(*crawl) {
		return func(c *crawl) {
			m := named
			change(&m)
			c.sitemaps = append(c.sitemaps, m)
		}
	}
	rejected := func(r output.Rejection) func(*crawl) {
		return func(c *crawl) { r.Source, r.FoundOn = "sitemap", robots; c.reject("/other.xml", r) }
	}
	for name, tt := range map[string]struct {
		add    func(*crawl)
		rule   string // empty: none
		detail string
	}{
		"read":                            {with(func(*output.Sitemap) {}), "", ""},
		"missing":                         {with(func(m *output.Sitemap) { m.Status = 404 }), "sitemap-unreadable", "status 404"},
		"missing of an index":             {with(func(m *output.Sitemap) { m.Status, m.FoundOn = 404, index }), "sitemap-unreadable", "status 404"},
		"missing where the crawl guessed": {with(func(m *output.Sitemap) { m.Status, m.FoundOn = 404, "" }), "", ""},
		"HTML where the crawl guessed":    {with(func(m *output.Sitemap) { m.Detail, m.FoundOn = "line 1: HTML", "" }), "", ""},
		"guess that redirects to HTML": {func(c *crawl) {
			with(func(m *output.Sitemap) { m.Status, m.FoundOn = 302, "" })(c)
			with(func(m *output.Sitemap) { m.Detail, m.URL, m.FoundOn = "line 1: HTML", example+"/", file })(c)
		}, "", ""},
		"redirect to HTML": {func(c *crawl) {
			with(func(m *output.Sitemap) { m.Status, m.URL = 302, example+"/to.xml" })(c)
			with(func(m *output.Sitemap) { m.Detail, m.FoundOn = "line 1: HTML", example+"/to.xml" })(c)
		}, "sitemap-unreadable", "line 1: HTML"},
		"redirect to a known one":  {with(func(m *output.Sitemap) { m.Status = 301 }), "", ""},
		"empty":                    {with(func(m *output.Sitemap) { m.Detail = "line 1: the body is empty" }), "sitemap-unreadable", "line 1: the body is empty"},
		"fault after some entries": {with(func(m *output.Sitemap) { m.Pages, m.Detail = 3, "line 9: cut" }), "sitemap-incomplete", "line 9: cut"},
		"limit of the crawl": {with(func(m *output.Sitemap) {
			m.Pages, m.Detail, m.Reason = 3, "more than 3", output.MaxSitemapEntries
		}), "", ""},
		"disallowed":          {rejected(output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /*.xml", Line: 2}), "sitemap-unreadable", "Disallow: /*.xml"},
		"no response":         {rejected(output.Rejection{Reason: output.Failed, Detail: "timeout"}), "sitemap-unreadable", "failed: timeout"},
		"skipped for a limit": {rejected(output.Rejection{Reason: output.MaxSitemapEntries}), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := faultless()
			c.good("/unlisted", output.Page{})
			tt.add(c)
			got := rowsByRule(c.make(t))
			if _, found := got["sitemap-not-listed"]; found == (tt.rule != "" && tt.detail != "status 404") {
				t.Errorf("pages in no sitemap: %+v", got["sitemap-not-listed"])
			}
			delete(got, "sitemap-not-listed")
			if tt.rule == "" {
				if len(got) > 0 {
					t.Errorf("%+v", got)
				}
			} else if rows := got[tt.rule]; len(got) != 1 || len(rows) != 1 || rows[0].URL != file || rows[0].Detail != tt.detail {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A host outside the crawl that never responds is one finding of canonical links, and one of hreflang,
// not one for each page. Its robots.txt is none.
func TestSilentHostIsOneFinding(t *testing.T) {
	const silent = "https://silent.example"
	c := faultless()
	for _, path := range []string{"/1", "/2", "/3"} {
		c.good(path, output.Page{Canonical: silent + path})
		c.check(silent+path, output.Check{Kind: "canonical", Reason: output.Failed, Detail: "no such host"})
	}
	for _, path := range []string{"/4", "/5"} {
		c.listed(path, output.Page{Hreflang: []output.Hreflang{{Lang: "fr", URL: silent + "/fr" + path}, {Lang: "es", URL: silent + "/es" + path}}})
		for _, lang := range []string{"/fr", "/es"} {
			c.check(silent+lang+path, output.Check{Kind: "hreflang", Reason: output.Failed, Detail: "no such host"})
		}
	}
	c.robots = append(c.robots, robotsLine{Origin: silent, Outcome: "unreachable", Chain: []string{silent + "/robots.txt"}, FetchedAt: at(5), FailingSince: at(5)})
	c.reject("/sitemap.xml", output.Rejection{Reason: output.Failed, Source: "sitemap", FoundOn: example + "/robots.txt"})
	c.rejected[len(c.rejected)-1].URL = silent + "/sitemap.xml"
	want := map[string][]Finding{
		"canonical-broken":   {{URL: silent + "/", Detail: "no response", Pages: 3, FoundOn: []string{example + "/1", example + "/2", example + "/3"}}},
		"hreflang-broken":    {{URL: silent + "/", Detail: "no response", Pages: 2, FoundOn: []string{example + "/4", example + "/5"}}},
		"sitemap-unreadable": {{URL: silent + "/sitemap.xml", Detail: "failed", Related: example + "/robots.txt"}},
	}
	if diff := cmp.Diff(want, rowsByRule(c.make(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.check(silent+"/ok", output.Check{Kind: "canonical", Status: 200})
	if got := FindingsOf(c.make(t), "canonical-broken"); got.Total != 3 || got.Rows[0].Related != silent+"/1" {
		t.Errorf("of a host that responds at times: %+v", got)
	}
}

// A recrawl may wait for a robots.txt that only the previous crawl requested. It is still unreachable.
func TestRecrawlWaitsForRobotsOfPreviousCrawl(t *testing.T) {
	c := faultless()
	c.reject("/later", output.Rejection{Reason: output.RobotsUnreachable, Source: "link", Detail: "status 503", RobotsURL: other + "/robots.txt"})
	r := c.make(t)
	want := []Finding{{URL: other + "/robots.txt", Detail: "status 503"}}
	if diff := cmp.Diff(want, FindingsOf(r, "robots-unreachable").Rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(r.Highlights, func(h Highlight) bool {
		return h.Level == Error && h.Text == "the robots.txt of 1 origin could not be fetched"
	}) {
		t.Errorf("%+v", r.Highlights)
	}
}

// The robots.txt of a server that is only checked is no finding, whatever became of the checks: those
// have findings of their own.
func TestRobotsOfCheckedServersAreNoFindings(t *testing.T) {
	const server = "https://server.example"
	down := robotsLine{Origin: server, Outcome: "unreachable", Chain: []string{server + "/robots.txt"}, FetchedAt: at(5), FailingSince: at(5)}
	for name, tt := range map[string]struct {
		add  func(*crawl)
		want int
	}{
		"no response":      {func(c *crawl) { c.check(server+"/a", output.Check{Kind: "a", Reason: output.Failed}) }, 0},
		"status 200 first": {func(c *crawl) { c.check(server+"/a", output.Check{Kind: "a", Status: 200}) }, 0},
		"robots.txt":       {unverified(server, output.RobotsUnreachable), 0},
		"blocked address":  {unverified(server, output.BlockedAddress), 0},
		"limit of hosts":   {unverified(server, output.MaxHosts), 0},
		"not due yet":      {unverified(server, output.Deferred), 0},
		"disallowed first": {unverified(server, output.Disallowed), 0},
		"page of the crawl": {func(c *crawl) {
			unverified(server, output.RobotsUnreachable)(c)
			c.rejected = append(c.rejected, output.Rejection{URL: server + "/b", Reason: output.RobotsUnreachable, RobotsURL: server + "/robots.txt", Source: "link", FoundOn: example + "/"})
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := faultless()
			tt.add(c)
			c.robots = append(c.robots, down)
			if got := FindingsOf(c.make(t), "robots-unreachable"); got.Total != tt.want {
				t.Errorf("%+v, want %d findings", got.Rows, tt.want)
			}
		})
	}
}

// unverified adds a check that was not made.
func unverified(server string, reason output.Reason) func(*crawl) {
	return func(c *crawl) {
		c.check(server+"/a", output.Check{Kind: "a", Result: output.CheckUnverified, Reason: reason})
	}
}
