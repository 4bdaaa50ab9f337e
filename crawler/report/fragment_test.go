package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The fragment of a Location replaces that of the link, and otherwise the link keeps its own.
func TestFragmentsOfRedirects(t *testing.T) {
	c := &crawl{state: everything().state}
	c.state["config"].(map[string]any)["check"] = "fragments"
	c.page("/", output.Page{Source: "start"})
	for from, location := range map[string]string{
		"/old": "/page", "/to-sec": "/page#sec", "/to-gone": "/page#nosuch", "/to-none": "/page#none", "/chain": "/to-sec", "/to-top": "/page#", "/text": "/page#sec:~:text=a",
		"/route": "/page#/login", "/bang": "/page#!x",
	} {
		c.page(from, output.Page{Source: "link", Status: 302, Location: location})
	}
	c.page("/page", output.Page{Source: "link"})
	home := output.Anchors{URL: example + "/", IDs: []string{}, Targets: []string{}}
	for _, to := range []string{
		"/page#sec", "/page#gone", "/old#sec", "/old#gone", "/to-sec#gone", "/to-sec", "/to-gone#sec", "/to-none", "/chain#gone", "/to-top#gone", "/text#gone", "/route",
		"/bang#gone", "/page#50%-%C3%A9", "/page#50%25-%C3%A9", "/page#a%20b", "/page#%FF", "/page#%zz",
	} {
		page, _, fragment := strings.Cut(to, "#")
		if fragment {
			home.Targets = append(home.Targets, example+to)
		}
		c.link("/", page)
	}
	c.anchors = []output.Anchors{home, {URL: example + "/page", IDs: []string{"sec", "50%-é", "a b", "\uFFFD"}, Targets: []string{}}}
	want := []string{"/old#gone", "/page#%zz", "/page#gone", "/to-gone#sec", "/to-none"}
	if got := found(c.make(t), "broken-fragment"); !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q", got, want)
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
	c := &crawl{state: everything().state}
	for _, status := range []int{200, 201, 300, 304, 305, 306, 310} {
		path := fmt.Sprint("/", status)
		c.page(path, output.Page{Source: "link", Status: status})
		c.link("/", path)
	}
	r := c.make(t)
	if got, want := found(r, "broken-link"), []string{"/300", "/304", "/305", "/306", "/310"}; !slices.Equal(got, want) || r.Redirects.URLs != 0 {
		t.Errorf("%d redirects, broken links %q, want %q", r.Redirects.URLs, got, want)
	}
}
