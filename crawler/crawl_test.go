package crawler

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestMain also runs the processes that tests and benchmarks start.
func TestMain(m *testing.M) {
	for env, serve := range map[string]func(string) error{
		benchSiteEnv: serveBenchSite, hostsEnv: serveHosts, crawlEnv: crawlAsChild, benchPeerEnv: benchPeer,
	} {
		if arg := os.Getenv(env); arg != "" {
			if err := serve(arg); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	goleak.VerifyTestMain(m)
}

// ROB-GEN-07: links of pages and sitemap entries are crawled like start URLs.
func TestROB_GEN_07(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/index.xml\nUser-agent: *\nDisallow: /no\nAllow: /no/but\n",
		"/index.xml":  `<sitemapindex><sitemap><loc>{site}/deep/map.xml</loc></sitemap></sitemapindex>`,
		"/deep/map.xml": `<urlset><url><loc>{site}/listed</loc></url><url><loc>{site}/no/listed</loc></url>
			<url><loc>http://other.invalid/</loc></url></urlset>`,
		"/":         `<title> Front  page </title><a href="a">a</a><a href="/a#part">again</a><a href="/no/link">no</a><a href="mailto:x@y">mail</a>`,
		"/a":        `<a href="/b">b</a><a href="http://other.invalid/x">elsewhere</a>`,
		"/b":        `<a href="/">back</a><a href="/gone">gone</a>`,
		"/listed":   `<a href="/no/but">but</a>`,
		"/no/but":   `the end`,
		"/no/link":  `never`,
		"/unlinked": `never`,
	})
	got := runCrawl(t, testConfig(t, s.url), nil)

	want := []string{"/", "/a", "/b", "/gone", "/listed", "/no/but"}
	if diff := cmp.Diff(want, got.paths(s.url)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	asked := s.asked()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"/", "/a", "/b", "/deep/map.xml", "/gone", "/index.xml", "/listed", "/no/but"}, asked); diff != "" {
		t.Errorf("the site was asked for (-want +got):\n%s", diff)
	}
	if got.End != EndFinished || got.Remaining != 0 || got.Robots != 1 || got.Sitemaps != 2 || got.Entries != 3 {
		t.Errorf("summary %+v", got.Summary)
	}
	for _, p := range got.pages {
		switch p.URL {
		case s.url + "/":
			if p.Title != "Front page" || p.Source != "start" || p.FoundOn != "" || p.Depth != 0 || p.Status != 200 {
				t.Errorf("front page: %+v", p)
			}
		case s.url + "/b":
			if p.Source != "link" || p.FoundOn != s.url+"/a" || p.Depth != 2 {
				t.Errorf("page behind two links: %+v", p)
			}
		case s.url + "/listed":
			if p.Source != "sitemap" || p.FoundOn != s.url+"/deep/map.xml" {
				t.Errorf("page of a sitemap: %+v", p)
			}
		case s.url + "/gone":
			if p.Status != 404 {
				t.Errorf("missing page: %+v", p)
			}
		}
	}
	for _, path := range []string{"/no/link", "/no/listed"} {
		r := got.refusal(t, s.url+path)
		want := output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /no", Line: 3, RobotsURL: s.url + "/robots.txt"}
		if r.Reason != want.Reason || r.Rule != want.Rule || r.Line != want.Line || r.RobotsURL != want.RobotsURL {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := got.refusal(t, "http://other.invalid/x"); r.Reason != output.OutOfScope {
		t.Errorf("a link to another host: %+v", r)
	}
	if r := got.refusal(t, "http://other.invalid/"); r.Reason != output.NotAuthorized {
		t.Errorf("ROB-SMP-18: a sitemap that lists another host: %+v", r)
	}
	var links []string
	for _, l := range readOutput[output.Links](t, Config{Output: Output{Dir: got.Output}}, "links.jsonl") {
		links = append(links, strings.TrimPrefix(l.URL, s.url)+" "+strings.ReplaceAll(strings.Join(targets(l), " "), s.url, ""))
	}
	slices.Sort(links)
	if diff := cmp.Diff([]string{"/ /a /no/link", "/a /b http://other.invalid/x", "/b / /gone", "/listed /no/but"}, links); diff != "" {
		t.Errorf("%s (-want +got):\n%s", "links.jsonl", diff)
	}
	if files, err := os.ReadDir(got.Output + "/robots"); err != nil || len(files) != 2 { // and versions/
		t.Errorf("robots/ holds %v, %v", files, err)
	}
}

func TestNofollowURLIsFetchedByAnotherLink(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":     `<a href="/meta">m</a><a href="/rel">r</a>`,
		"/meta": `<meta name="robots" content="nofollow"><a href="/only-meta">1</a><a href="/both">2</a><a href="/">0</a>`,
		"/rel":  `<a rel="ugc nofollow" href="/only-rel">1</a><a rel=sponsored href="/both">2</a><a href="/both">3</a>`,
		"/both": `reached`, "/only-meta": "never", "/only-rel": "never",
	})
	got := runCrawl(t, testConfig(t, s.url), nil)
	if diff := cmp.Diff([]string{"/", "/both", "/meta", "/rel"}, got.paths(s.url)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, path := range []string{"/only-meta", "/only-rel"} {
		if r := got.refusal(t, s.url+path); r.Reason != output.Nofollow {
			t.Errorf("%+v", r)
		}
	}
	if len(got.rejected) != 2 {
		t.Errorf("rejected %+v", got.rejected)
	}
}

// A page that is robots.txt itself is requested once.
func TestRobotsTxtAsAPage(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n"})
	got := runCrawl(t, testConfig(t, s.url+"/robots.txt"), nil)
	if got.Pages != 1 || len(s.requests()) > 2 {
		t.Errorf("%+v, requests %+v", got.Summary, s.requests())
	}
}

// targets returns the URLs of links.
func targets(l output.Links) (urls []string) {
	for _, to := range l.To {
		urls = append(urls, to.URL)
	}
	return urls
}
