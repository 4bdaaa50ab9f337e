package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The fragment of a Location replaces that of the link, and otherwise the link keeps its own.
func TestFragmentsOfRedirects(t *testing.T) {
	for to, missing := range map[string]bool{
		"/page#sec": false, "/page#gone": true, "/old#sec": false, "/old#gone": true, "/to-sec#gone": false, "/to-sec": false,
		"/to-gone#sec": true, "/to-gone": true, "/chain#gone": false, "/to-top#gone": false, "/text#gone": false, "/route": false, "/bang#gone": false,
		"/page#50%-%C3%A9": false, "/page#50%25-%C3%A9": false, "/page#a%20b": false, "/page#%FF": false, "/page#%zz": true,
	} {
		c := &crawl{state: everything().state}
		c.state["config"].(map[string]any)["check"] = "fragments"
		c.page("/", output.Page{Source: "start"})
		for from, location := range map[string]string{
			"/old": "/page", "/to-sec": "/page#sec", "/to-gone": "/page#nosuch", "/chain": "/to-sec", "/to-top": "/page#", "/text": "/page#sec:~:text=a",
			"/route": "/page#/login", "/bang": "/page#!x",
		} {
			c.page(from, output.Page{Source: "link", Status: 302, Location: location})
		}
		c.page("/page", output.Page{Source: "link"})
		home := output.Anchors{URL: example + "/", IDs: []string{}, Targets: []string{}}
		page, _, fragment := strings.Cut(to, "#")
		if fragment {
			home.Targets = append(home.Targets, example+to)
		}
		c.links = []output.Links{{URL: example + "/", To: []output.Link{{URL: example + page}}}}
		c.anchors = []output.Anchors{home, {URL: example + "/page", IDs: []string{"sec", "50%-é", "a b", "\uFFFD"}, Targets: []string{}}}
		got := found(c.make(t), "broken-fragment")
		want := []string{}
		if missing {
			want = []string{to}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: findings %q, want %q", to, got, want)
		}
	}
}

// A URL that redirects to itself until it has its cookies is no loop, and its redirects are not judged as a page.
func TestRedirectsThatCookiesEnd(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/self", output.Page{Source: "link", Status: 302, Location: "/self"})
	c.page("/self", output.Page{Source: "redirect", Redirects: []string{example + "/self"}, Title: "Self", Description: "Self", H1: "Self"})
	c.page("/there", output.Page{Source: "link", Status: 302, Location: "/wall"})
	c.page("/wall", output.Page{Source: "redirect", Status: 302, Location: "/there"})
	c.page("/there", output.Page{Source: "redirect", Redirects: []string{example + "/there", example + "/wall"}, Title: "There", Canonical: example + "/self"})
	c.entry("/there")
	r := c.make(t)
	for _, rule := range []string{"title-missing", "description-missing", "h1-missing"} {
		if got := found(r, rule); len(got) > 0 {
			t.Errorf("%s: %q", rule, got)
		}
	}
	if got := found(r, "sitemap-canonical-elsewhere"); !slices.Equal(got, []string{"/there"}) {
		t.Errorf("%s: %q", "sitemap-canonical-elsewhere", got)
	}
	if r.Redirects.Loops != 0 || r.Redirects.DeadEnds != 0 || len(found(r, "redirect-loop")) > 0 {
		t.Errorf("%s", asJSON(t, r.Redirects))
	}
}

// Responses that browsers show are no redirects, whatever their Location is.
func TestStatusesThatAreNoRedirects(t *testing.T) {
	for status, broken := range map[int]bool{200: false, 201: false, 300: true, 304: true, 305: true, 306: true, 310: true} {
		c := &crawl{state: everything().state}
		c.page("/page", output.Page{Source: "link", Status: status})
		c.links = []output.Links{{URL: example + "/", To: []output.Link{{URL: example + "/page"}}}}
		r := c.make(t)
		if got := found(r, "broken-link"); (len(got) > 0) != broken || r.Redirects.URLs != 0 {
			t.Errorf("%d: %d redirects, broken links %+v", status, r.Redirects.URLs, got)
		}
	}
}
