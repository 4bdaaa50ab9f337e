package crawler

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestROB_MAT_28: a rule matches a link in the same spelling, raw or escaped. The crawl requests
// the spelling of the link, except that it escapes octets that are invalid in a URI.
func TestROB_MAT_28(t *testing.T) {
	rules, front := "User-agent: *\n", ""
	link := func(href string) { front += `<a href="` + html.EscapeString(href) + `">x</a>` }
	var private []string
	for i, octet := range strings.Split("\"<>^`{|}[] é", "") {
		escape := url.PathEscape(octet)
		for j, inRule := range []string{octet, escape, strings.ToLower(escape)} {
			for k, place := range []string{"a%sb", "?a%sb"} {
				dir := fmt.Sprintf("/%d-%d-%d/", i, j, k)
				rules += "Disallow: " + dir + fmt.Sprintf(place, inRule) + "\n"
				for _, inLink := range []string{octet, escape, strings.ToLower(escape)} {
					private = append(private, dir+fmt.Sprintf(place, inLink)+"/1")
				}
			}
		}
	}
	rules += "Disallow: /q?z='\nDisallow: /r?z=%27\nDisallow: /it's|\nDisallow: /a/b\n"
	private = append(private, "/q?z='", "/q?z=%27", "/r?z='", "/r?z=%27", "/it's|")
	for _, href := range private {
		link(href)
	}
	for _, href := range []string{"/q?z=", "/it%27s|", "/a%2Fb|", "/open(1)^'s"} {
		link(href)
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": rules, "/": front})
	got := run(t, testConfig(t, s.url), nil)

	asked := s.asked()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/", "/a%2Fb%7C", "/it%27s%7C", "/open(1)%5E's", "/q?z="}, asked); diff != "" {
		t.Errorf("requested (-want +got):\n%s", diff)
	}
	for _, href := range private {
		canonical, err := Canonical(s.url + href)
		if err != nil {
			t.Fatal(err)
		}
		if r := got.refusal(t, canonical); r.Reason != output.Disallowed {
			t.Errorf("%s: %+v", href, r)
		}
	}
}
