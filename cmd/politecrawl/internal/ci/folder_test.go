package ci

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestFolderIsServedAsAWebServerDoes(t *testing.T) {
	outside := t.TempDir()
	dir := build{
		"index.html": "home", "docs/index.html": "docs", "empty/x.txt": "x", "a b.html": "space", "404.html": "<h1>gone</h1>",
		"data": "bytes", "feed.xml": "<rss/>", "font.woff2": "w", "style.css": "c", "manifest.webmanifest": "{}", "UPPER.HTML": "u", "a.htm": "a", "a.xhtml": "x", "a.xht": "x", "a.js": "j", "a.txt": "t", "a.svg": "s",
		"about.html": "about", "data.html": "not bytes", "blog.html": "blog", "blog/1.html": "post",
	}.write(t)
	if err := os.WriteFile(filepath.Join(outside, "secret.html"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"escape.html": filepath.Join(outside, "secret.html"), "up": outside, "inside.html": "index.html"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for base, cases := range map[string][]struct {
		path   string
		status int
		body   string
		header string // Content-Type or Location
	}{
		"https://www.example.com/": {
			{"/", 200, "home", "text/html"},
			{"/index.html", 200, "home", "text/html"},
			{"/docs", 301, "", "/docs/"},
			{"/docs?a=b", 301, "", "/docs/?a=b"},
			{"//evil.example/..//docs", 301, "", "/docs/"},
			{"/docs/", 200, "docs", "text/html"},
			{"/empty/", 404, "<h1>gone</h1>", "text/html"},
			{"/index.html/", 404, "<h1>gone</h1>", "text/html"},
			{"/missing", 404, "<h1>gone</h1>", "text/html"},
			{"/a%20b.html", 200, "space", "text/html"},
			{"/../../etc/passwd", 404, "<h1>gone</h1>", "text/html"},
			{"/%2e%2e/secret.html", 404, "<h1>gone</h1>", "text/html"},
			{"/escape.html", 404, "<h1>gone</h1>", "text/html"},
			{"/up/secret.html", 404, "<h1>gone</h1>", "text/html"},
			{"/inside.html", 200, "home", "text/html"},
			{"/data", 200, "bytes", "application/octet-stream"},
			{"/feed.xml", 200, "<rss/>", "text/xml"},
			{"/font.woff2", 200, "w", "font/woff2"},
			{"/style.css", 200, "c", "text/css; charset=utf-8"},
			{"/manifest.webmanifest", 200, "{}", "application/manifest+json"},
			{"/UPPER.HTML", 200, "u", "text/html"},
			{"/a.htm", 200, "a", "text/html"},
			{"/a.xhtml", 200, "x", "application/xhtml+xml"},
			{"/a.xht", 200, "x", "application/xhtml+xml"},
			{"/a.js", 200, "j", "text/javascript; charset=utf-8"},
			{"/a.txt", 200, "t", "text/plain; charset=utf-8"},
			{"/a.svg", 200, "s", "image/svg+xml"},
			{"/about", 200, "about", "text/html"},
			{"/about/", 404, "<h1>gone</h1>", "text/html"},
			{"/blog", 200, "blog", "text/html"},
			{"/blog/1", 200, "post", "text/html"},
			{"/index", 200, "home", "text/html"},
			{"/escape", 404, "<h1>gone</h1>", "text/html"},
		},
		"https://example.github.io/project/": {
			{"/project/", 200, "home", "text/html"},
			{"/project", 301, "", "/project/"},
			{"/project/docs/", 200, "docs", "text/html"},
			{"/", 404, "<h1>gone</h1>", "text/html"},
			{"/projects/docs/", 404, "<h1>gone</h1>", "text/html"},
			{"/docs/", 404, "<h1>gone</h1>", "text/html"},
		},
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		f, err := openFolder(dir, u)
		if err != nil {
			t.Fatal(err)
		}
		transport := f.local().Transport
		for _, tt := range cases {
			req, err := http.NewRequest(http.MethodGet, f.origin+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.URL.Opaque, req.URL.RawQuery, _ = strings.Cut(tt.path, "?")
			req.URL.Opaque = "//" + u.Host + req.URL.Opaque
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatalf("%s: %v", tt.path, err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			header := resp.Header.Get("Content-Type")
			if resp.StatusCode == http.StatusMovedPermanently {
				header = resp.Header.Get("Location")
			}
			if err != nil || resp.StatusCode != tt.status || string(body) != tt.body || header != tt.header {
				t.Errorf("%s%s: %d %q %q, %v; want %d %q %q", base, tt.path, resp.StatusCode, body, header, err, tt.status, tt.body, tt.header)
			}
		}
		for _, method := range []string{http.MethodPost, http.MethodHead} {
			req, err := http.NewRequest(method, f.origin+f.base, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if want := map[string]int{http.MethodPost: 405, http.MethodHead: 200}[method]; resp.StatusCode != want {
				t.Errorf("%s: status %d, want %d", method, resp.StatusCode, want)
			}
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}
}

// A page of the folder has the encoding that its file declares.
func TestEncodingOfFiles(t *testing.T) {
	b := build{"index.html": "<title>home</title>"}
	want := map[string]string{"index.html": "home"}
	for name, page := range map[string]struct{ text, title string }{
		"1251.html":     {"<meta charset=windows-1251><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>", "Привет"},
		"euckr.html":    {"<meta http-equiv=content-type content='text/html; charset=euc-kr'><title>\xb0\xa1\xb3\xaa</title>", "가나"},
		"utf8.html":     {"<meta charset=utf-8><title>é</title>", "é"},
		"mark.html":     {"\xef\xbb\xbf<title>é</title>", "é"},
		"nothing.html":  {"<title>é</title>", "é"},
		"latin1.html":   {"<title>\xe9</title>", "é"},
		"nothing.xhtml": {"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>é</title></head></html>", "é"},
	} {
		b["index.html"] += "<a href=" + name + ">a page</a>"
		b[name], want[name] = page.text, page.title
	}
	gateOf(t, b, "")
	got := make(map[string]string)
	text, err := os.ReadFile("crawl/pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var page output.Page
		if err := json.Unmarshal([]byte(line), &page); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(page.URL, origin+"/")
		if name == "" {
			name = indexFile
		}
		got[name] = page.Title
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A link to the site by the other scheme is a redirect, as on web servers. No request leaves the
// machine, not even for robots.txt.
func TestFolderIsTheSiteByBothSchemes(t *testing.T) {
	b := newBuild()
	b.replace(t, "<p>Better", "<a href=\"http://www.example.com/about/\">About</a>\n<a href=\"http://www.example.com/gone.html\">Gone</a>\n<p>Better", "products/b.html")
	got, v := gateOf(t, b, "", "--timeout", "1s")
	if got.Code != cli.ExitFindings || len(v.Problems) != 1 {
		t.Fatalf("%+v, %+v", got, v.Problems)
	}
	p := v.Problems[0]
	if at, want := p.Places[0].String(), fmt.Sprintf("%s:%d", filepath.Join("public", "products", "b.html"), b.lineIn(t, "products/b.html", "gone.html")); p.URL != "http://www.example.com/gone.html" || at != want {
		t.Errorf("%s: %+v", at, p)
	}
}

// The folder of a project has nothing to say about the rest of its host.
func TestRestOfTheHostIsNotInTheFolder(t *testing.T) {
	b := build{"index.html": "<title>Home</title>\n<a href=/other-project/>o</a><a href=/>h</a><a href=/project>p</a>\n<link rel=canonical href=/><img src=/logo.png><img src=gone.png>"}
	for _, check := range []string{"all", "assets"} {
		_, v := gateOf(t, b, "", "--base", "https://example.github.io/project/", "--check", check)
		if len(v.Problems) != 1 || v.Problems[0].URL != "https://example.github.io/project/gone.png" {
			t.Errorf("--check %s: %+v", check, v.Problems)
		}
	}
}

// A folder without a page to start at is most likely the wrong one.
func TestFolderWithoutStart(t *testing.T) {
	const missing = `"public" has no index.html, where the crawl starts; name the folder that has it`
	sitemap := build{"a.html": "<title>A</title>", "sitemap.xml": strings.ReplaceAll(sitemapOf([]string{"/a.html"}), origin, "http://folder.invalid")}
	named := build{"a.html": sitemap["a.html"], "sitemap.xml": sitemap["sitemap.xml"], "robots.txt": "Sitemap: http://folder.invalid/sitemap.xml\n"}
	for _, tt := range []struct {
		name  string
		b     build
		flags []string
		want  string // empty: it is crawled
	}{
		{"pages only", build{"a.html": "a"}, nil, missing + ", or name a sitemap in robots.txt\n"},
		{"in a folder below", build{"html/index.html": "a", "x/a.html": "x"}, nil, missing + ", such as " + filepath.Join("public", "html") + ","},
		{"sitemap that nothing names", sitemap, nil, ""},
		{"sitemap that is looked for", sitemap, []string{"--probe-sitemap"}, ""},
		{"sitemap in robots.txt", named, nil, ""},
		{"robots.txt that is not at the root", build{"a.html": "a", "robots.txt": named["robots.txt"]}, []string{"--base", "http://folder.invalid/project/"}, missing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(filepath.Dir(tt.b.write(t)))
			got := run(t, append([]string{"ci", "public"}, tt.flags...)...)
			if _, err := os.Stat("crawl"); (got.Code == cli.ExitMisuse) != (tt.want != "") || !strings.Contains(got.Stderr, tt.want) || (err != nil) != (tt.want != "") {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}

// problemsOf returns the rule and the place of each problem.
func problemsOf(v verdict) []string {
	list := []string{}
	for _, p := range v.Problems {
		list = append(list, p.Rule+" "+p.Places[0].String())
	}
	return list
}

// A folder is its owner's: links with nofollow are checked, and pages with noindex are read and
// followed, unless flags say otherwise.
func TestFolderIsAudited(t *testing.T) {
	const broken = "broken-link public/n.html:2"
	b := build{
		"index.html": "<title>Home</title>\n<a href=m.html>m</a>",
		"m.html":     "<title>M</title>\n<meta name=robots content=noindex,nofollow><a href=n.html>n</a>",
		"n.html":     "<title>N</title>\n<a href=gone.html rel=nofollow>g</a>",
	}
	for _, tt := range []struct {
		flags []string
		want  []string
	}{
		{nil, []string{broken}},
		{[]string{"--audit"}, []string{broken}},
		{[]string{"--audit=false"}, []string{}},
		{[]string{"--obey-nofollow"}, []string{}},
		{[]string{"--obey-noindex"}, []string{broken}}, // which says nothing about links
	} {
		if _, v := gateOf(t, b, "", tt.flags...); !slices.Equal(problemsOf(v), tt.want) {
			t.Errorf("%v: %v, want %v", tt.flags, problemsOf(v), tt.want)
		}
	}
}

// The sitemap of a folder is read wherever its base is, even if no robots.txt names it.
func TestSitemapThatNoRobotsTxtNames(t *testing.T) {
	page := "<title>Home</title><h1>Home</h1>"
	for _, tt := range []struct {
		name, base string
		b          build
		want       []string
	}{
		{"at the root", "/", build{"sitemap.xml": sitemapOf([]string{"/", "/gone.html"})}, []string{"sitemap-broken public/sitemap.xml:5"}},
		{"below the base", "/project/", build{"sitemap.xml": sitemapOf([]string{"/project/", "/project/gone.html"})}, []string{"sitemap-broken public/sitemap.xml:5"}},
		{"beside one in robots.txt", "/", build{
			"robots.txt": "Sitemap: " + origin + "/news.xml\n", "news.xml": sitemapOf([]string{"/"}), "sitemap.xml": sitemapOf([]string{"/", "/gone.html"}),
		}, []string{"sitemap-broken public/sitemap.xml:5"}},
		{"named too", "/", build{"robots.txt": siteRobots, "sitemap.xml": sitemapOf([]string{"/", "/gone.html"})}, []string{"sitemap-broken public/sitemap.xml:5"}},
		{"an index", "/", build{
			"sitemap.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + origin + `/a.xml</loc></sitemap></sitemapindex>`,
			"a.xml":       sitemapOf([]string{"/", "/gone.html"}),
		}, []string{"sitemap-broken public/a.xml:5"}},
		{"unreadable", "/", build{"sitemap.xml": "<html>"}, []string{"sitemap-unreadable public/sitemap.xml:1"}},
		{"disallowed", "/", build{"sitemap.xml": sitemapOf([]string{"/"}), "robots.txt": "User-agent: *\nDisallow: /*.xml\n"}, []string{}},
		{"none", "/", build{}, []string{}},
	} {
		tt.b["index.html"] = page
		if _, v := gateOf(t, tt.b, "", "--base", origin+tt.base); !slices.Equal(problemsOf(v), tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, problemsOf(v), tt.want)
		}
	}
}

// --robots replaces the robots.txt of the host, and is named by what it disallows.
func TestRobotsInPlaceOfThatOfTheFolder(t *testing.T) {
	b := build{"index.html": "<title>Home</title>", "robots.txt": stagingRobots}
	live := filepath.Join(t.TempDir(), "live.txt")
	if err := os.WriteFile(live, []byte("User-agent: *\nDisallow: /admin/\nDisallow: /project/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string][]string{"/": {}, "/project/": {"start-not-fetched " + live + ":3"}} {
		if _, v := gateOf(t, b, "", "--robots", live, "--base", origin+base); !slices.Equal(problemsOf(v), want) {
			t.Errorf("%s: %v, want %v", base, problemsOf(v), want)
		}
	}
}

// Pages to which no crawled page links are in the report and in the notes.
func TestPagesThatNothingLinksTo(t *testing.T) {
	b := build{
		"index.html": `<title>Home</title><a href="linked.html?a=b">l</a><a href=linked.html>l</a><a href=short>s</a><iframe src=frame.html></iframe><a href=paper.pdf>p</a><a href=secret.html>s</a><a href=docs/>d</a>`,
		"robots.txt": "User-agent: *\nDisallow: /secret.html\n", "sitemap.xml": sitemapOf([]string{"/", "/listed.html"}),
		"linked.html": "", "short.html": "", "frame.html": "", "paper.pdf": "", "secret.html": "<a href=behind.html>b</a>", "docs/index.html": "", "listed.html": "",
		"orphan.html": "", "old/index.html": "", "old/a b.htm": "", "old/paper.pdf": "",
		"404.html": "", "de/404/index.html": "", "50x.html": "", "google0123456789abcdef.html": "", "yandex_0123456789abcdef.html": "",
		"behind.html": "", ".hidden.html": "", ".git/x.html": "", "unused.png": "", "favicon.ico": "", "crawled/crawl.json": "{}", "crawled/report.html": "",
	}
	want := []string{origin + "/behind.html", origin + "/old/", origin + "/old/a%20b.htm", origin + "/old/paper.pdf", origin + "/orphan.html"}
	_, v := gateOf(t, b, "")
	if note := []string{"no crawled page links to public/behind.html, public/old/a b.htm, public/old/index.html and 2 more"}; !slices.Equal(v.Notes, note) {
		t.Errorf("notes %q, want %q", v.Notes, note)
	}
	text, err := os.ReadFile("crawl/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Findings []struct {
			ID   string
			Rows []struct{ URL string }
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found.Findings {
		for _, row := range f.Rows {
			if f.ID == unlinkedRule.ID {
				got = append(got, row.URL)
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, flags := range [][]string{{"--exclude", "/paper.pdf$"}, {"--exclude", `\?a=b`}} { // a PDF has no links, and a file is read by another URL
		if _, v := gateOf(t, b, "", flags...); len(v.Notes) != 1 {
			t.Errorf("%v: %q", flags, v.Notes)
		}
	}
	b["linked.html"], b["deep.html"] = "<a href=deep.html>d</a>", ""
	for _, flags := range [][]string{ // the rest may be linked
		{"--max-links", "1"}, {"--only-sitemaps"}, {"--max-pages", "1"}, {"--max-depth", "0"}, {"--exclude", "/linked.html"}, {"--max-host-pages", "3"},
	} {
		if _, v := gateOf(t, b, "", flags...); len(v.Notes) > 0 {
			t.Errorf("%v: %q", flags, v.Notes)
		}
	}
}
