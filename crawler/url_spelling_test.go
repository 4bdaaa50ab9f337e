package crawler

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
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
	got := runCrawl(t, testConfig(t, s.url), nil)

	asked := s.asked()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/", "/a%2Fb%7C", "/it%27s%7C", "/open(1)%5E's", "/q?z="}, asked); diff != "" {
		t.Errorf("requested (-want +got):\n%s", diff)
	}
	for _, href := range private {
		canonical, err := Canonical(s.url + href)
		must(t, err)
		if r := got.refusal(t, canonical); r.Reason != output.Disallowed {
			t.Errorf("%s: %+v", href, r)
		}
	}
}

// TestROB_LOC_15: all spellings of an IPv4-mapped address are one Host, of robots.txt, sitemaps and
// pages, and one origin in the output.
func TestROB_LOC_15(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	mapped := "http://[::ffff:7f00:1]:" + port
	var mu sync.Mutex // guards hosts
	hosts := make(map[string]string)
	for path, body := range map[string]string{
		"/robots.txt": "User-agent: *\nSitemap: http://[::ffff:127.0.0.1]:" + port + "/s.xml\n",
		"/s.xml":      "<urlset><url><loc>http://[::FFFF:127.0.0.1]:" + port + "/entry</loc></url></urlset>",
		"/":           `<title>x</title><a href="http://[0:0:0:0:0:ffff:7f00:0001]:` + port + `/link">x</a>`,
		"/entry":      "", "/link": "",
	} {
		s.handle(path, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			hosts[path] = "http://" + r.Host
			_, _ = w.Write([]byte(body))
		})
	}
	cfg := testConfig(t, "http://[::ffff:127.0.0.1]:"+port+"/")
	got := runCrawl(t, cfg, nil)
	want := map[string]string{"/robots.txt": mapped, "/s.xml": mapped, "/": mapped, "/entry": mapped, "/link": mapped}
	if diff := cmp.Diff(want, hosts); diff != "" {
		t.Errorf("Host (-want +got):\n%s", diff)
	}
	for _, p := range got.pages {
		if !strings.HasPrefix(p.URL, mapped+"/") {
			t.Errorf("page %s", p.URL)
		}
	}
	sitemaps := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl")
	if len(got.pages) != 3 || len(sitemaps) != 1 || sitemaps[0].Origin != mapped {
		t.Errorf("%d pages, sitemaps %+v", len(got.pages), sitemaps)
	}
}
