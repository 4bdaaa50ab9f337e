package ci

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/report"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// gateOf runs the command on a build, compared with a baseline, and returns its problems.
func gateOf(t *testing.T, b build, baseline string, flags ...string) (got clitest.Result, v verdict) {
	t.Helper()
	t.Chdir(filepath.Dir(b.write(t)))
	args := append([]string{"public", "--base", origin + "/", "--quiet", "--output", "crawl", "--format", "json"}, flags...)
	if baseline != "" {
		args = append(args, "--baseline", baseline, "--fail-on", "new")
	}
	got = run(t, append([]string{"ci"}, args...)...)
	v = clitest.JSON[verdict](t, got.Out)
	for _, p := range v.Problems {
		for _, at := range p.Places {
			if _, err := os.Stat(at.File); at.File != "" && err != nil {
				t.Errorf("%s names a file that CI systems cannot show: %v", p.Rule, err)
			}
		}
	}
	return got, v
}

// released crawls the site as it was released last, and returns the directory of the crawl.
func released(t *testing.T) string {
	t.Helper()
	got, v := gateOf(t, newBuild(), "", "--fail-on", "warning")
	if got.Code != cli.ExitDone || len(v.Problems) > 0 {
		t.Fatalf("the released site has problems: %+v, %+v", got, v.Problems)
	}
	dir := clitest.Must(filepath.Abs("crawl"))(t)
	return dir
}

// A change is an edit of the site with the problem that it causes.
type change struct {
	name  string
	edit  func(t *testing.T, b build)
	rule  string
	file  string // of the first place
	at    string // text on the line of the place; empty: no line
	about string // the URL at fault
}

// planted are changes that break the site.
var planted = []change{
	{
		"PHP error with status 200", func(_ *testing.T, b build) {
			b["guide.html"] = "<b>Fatal error</b>: Uncaught PDOException in /srv/www/db.php:12\n"
		},
		"content-lost", "guide.html", "Fatal error", "/guide.html",
	},
	{"staging robots.txt in production", func(_ *testing.T, b build) { b["robots.txt"] = stagingRobots }, "page-disallowed", "robots.txt", "Disallow: /", "/about/"},
	{"rule of robots.txt that is too wide", func(t *testing.T, b build) { b.replace(t, "/admin/", "/*a", "robots.txt") }, "page-disallowed", "robots.txt", "Disallow: /*a", "/contact.html"},
	{
		"robots.txt that excludes a search engine", func(_ *testing.T, b build) { b["robots.txt"] += "\nUser-agent: Googlebot\nDisallow: /products/\n" },
		"robots-disallows", "robots.txt", "Disallow: /products/", "/robots.txt",
	},
	{
		"noindex in the template of the blog", func(t *testing.T, b build) {
			b.replace(t, "</head>", "<meta name=\"robots\" content=\"noindex\">\n</head>", "blog/1.html", "blog/2.html", "blog/index.html")
		}, "page-noindex", "blog/1.html", `content="noindex"`, "/blog/1.html",
	},
	{"canonical link lost", func(t *testing.T, b build) {
		b.replace(t, `<link rel="canonical" href="`+origin+`/about/">`, "", "about/index.html")
	}, "canonical-changed", "about/index.html", "<head>", "/about/"},
	{
		"template names the front page as canonical", func(t *testing.T, b build) {
			b.replace(t, `href="`+origin+`/products/a.html"`, `href="`+origin+`/"`, "products/a.html")
		},
		"canonical-changed", "products/a.html", `rel="canonical"`, "/products/a.html",
	},
	{
		"renamed page with links to it", func(_ *testing.T, b build) { b["contact-us.html"] = b["contact.html"]; delete(b, "contact.html") },
		"broken-link", "index.html", `href="/contact.html"`, "/contact.html",
	},
	{
		"sitemap lists a page that was removed", func(t *testing.T, b build) {
			delete(b, "guide.html")
			b.replace(t, `<a href="/guide.html#install">guide</a>`, "guide", "index.html")
		}, "sitemap-broken", "sitemap.xml", "/guide.html", "/guide.html",
	},
	{
		"page removed, with its links and its entry", func(t *testing.T, b build) {
			delete(b, "guide.html")
			b.replace(t, `<a href="/guide.html#install">guide</a>`, "guide", "index.html")
			b.replace(t, "<url><loc>"+origin+"/guide.html</loc>\n<lastmod>2026-01-02</lastmod></url>\n", "", "sitemap.xml")
		}, "page-vanished", "index.html", "<head>", "/guide.html",
	},
	{"title lost", func(t *testing.T, b build) { b.replace(t, "<title>Product B</title>", "", "products/b.html") }, "title-missing", "products/b.html", "<head>", "/products/b.html"},
	{"title copied", func(t *testing.T, b build) {
		b.replace(t, "<title>Product B</title>", "<title>Product A</title>", "products/b.html")
	}, "title-duplicate", "products/b.html", "<title>", "/products/b.html"},
	{
		"sitemap without a page", func(t *testing.T, b build) {
			b.replace(t, "<url><loc>"+origin+"/about/</loc>\n<lastmod>2026-01-02</lastmod></url>\n", "", "sitemap.xml")
		}, "sitemap-not-listed", "about/index.html", "<head>", "/about/",
	},
	{"sitemap gone", func(t *testing.T, b build) { delete(b, "sitemap.xml"); b.replace(t, "Sitemap: ", "# ", "robots.txt") }, "sitemap-dropped", "robots.txt", "", "/about/"},
	{"sitemap without its file", func(_ *testing.T, b build) { delete(b, "sitemap.xml") }, "sitemap-unreadable", "robots.txt", "Sitemap: ", "/sitemap.xml"},
	{"page in place of the sitemap", func(_ *testing.T, b build) { b["sitemap.xml"] = "\n<html>Not built" }, "sitemap-unreadable", "sitemap.xml", "<html>", "/sitemap.xml"},
	{"empty sitemap", func(_ *testing.T, b build) { b["sitemap.xml"] = " " }, "sitemap-unreadable", "sitemap.xml", " ", "/sitemap.xml"},
	{"sitemap that is cut off", func(_ *testing.T, b build) { b["sitemap.xml"] = b["sitemap.xml"][:300] }, "sitemap-incomplete", "sitemap.xml", origin + "/about", "/sitemap.xml"},
	{"sitemap that is disallowed", func(t *testing.T, b build) {
		b.replace(t, "/admin/", "/sitemap.xml", "robots.txt")
	}, "sitemap-unreadable", "robots.txt", "Disallow: ", "/sitemap.xml"},
	{"sitemap with an error", func(t *testing.T, b build) {
		b.replace(t, "/blog/</loc>", "/blog/&nosuch;</wrong>", "sitemap.xml")
	}, "sitemap-incomplete", "sitemap.xml", "</wrong>", "/sitemap.xml"},
	{"sitemap of the staging site", func(t *testing.T, b build) { b.replace(t, origin, "https://staging.example.com", "sitemap.xml") }, "sitemap-not-authorized", "sitemap.xml", "https://staging.example.com/about/", "https://staging.example.com/about/"},
	{"lastmod in the future", func(t *testing.T, b build) {
		b.replace(t, "/blog/</loc>\n<lastmod>2026", "/blog/</loc>\n<lastmod>2999", "sitemap.xml")
	}, "sitemap-invalid-lastmod", "sitemap.xml", "/blog/", "/blog/"},
	{"page that lost all its links", func(t *testing.T, b build) {
		b.replace(t, `<a href="/guide.html#install">guide</a>`, "guide", "index.html")
	}, "sitemap-not-linked", "sitemap.xml", "/guide.html", "/guide.html"},
	{
		"canonical link to a missing page", func(t *testing.T, b build) {
			b.replace(t, `rel="canonical" href="`+origin+`/products/"`, `rel="canonical" href="`+origin+`/shop/"`, "products/index.html")
		},
		"canonical-broken", "products/index.html", origin + "/shop/", "/products/",
	},
	{
		"hreflang link to a missing page", func(t *testing.T, b build) { b.replace(t, origin+"/de/\">", origin+"/at/\">", "index.html") },
		"hreflang-broken", "index.html", origin + "/at/", "/",
	},
	{"script of a page that only a link element names", func(t *testing.T, b build) {
		b["find.html"] = doc{"/find.html", "Find a page", "", "<script src=\"find.js\"></script>"}.html()
		b.replace(t, "</head>", "<link rel=\"search\" href=\"/find.html\">\n</head>", "about/index.html")
	}, "broken-asset", "find.html", "find.js", "/find.js"},
	{"link whose host was not filled in", func(t *testing.T, b build) {
		b.replace(t, "<p>Better", "<a href=\"https://<host>/docs/\">Docs</a>\n<p>Better", "products/b.html")
	}, "invalid-url", "products/b.html", "https://<host>/docs/", "https://<host>/docs/"},
	{"image gone", func(_ *testing.T, b build) { delete(b, "logo.png") }, "broken-asset", "index.html", "/logo.png", "/logo.png"},
	{"image of a srcset gone", func(_ *testing.T, b build) { delete(b, "photo-2x.jpg") }, "broken-asset", "products/a.html", "photo-2x.jpg", "/photo-2x.jpg"},
	{"stylesheet renamed", func(_ *testing.T, b build) { b["main.css"] = b["style.css"]; delete(b, "style.css") }, "broken-asset", "index.html", "/style.css", "/style.css"},
	{"background of a stylesheet gone", func(_ *testing.T, b build) { delete(b, "bg.png") }, "broken-asset", "style.css", "bg.png", "/bg.png"},
	{"id of a heading renamed", func(t *testing.T, b build) { b.replace(t, `id="install"`, `id="setup"`, "guide.html") }, "broken-fragment", "index.html", "/guide.html#install", "/guide.html#install"},
	{
		"insecure image", func(t *testing.T, b build) {
			b.replace(t, "<p>Better", "<img src=\"http://insecure.invalid/x.png\" alt=\"\">\n<p>Better", "products/b.html")
		},
		"mixed-content", "products/b.html", "http://insecure.invalid/x.png", "http://insecure.invalid/x.png",
	},
	{
		"hreflang without a link back", func(t *testing.T, b build) {
			b.replace(t, `<link rel="alternate" hreflang="en" href="`+origin+`/">`, "", "de/index.html")
		},
		"hreflang-no-return", "index.html", `hreflang="de"`, "/",
	},
}

// alone are planted changes that hide others, or contradict them. Those of withOthers only hide
// some of the first crawl.
var (
	alone = []string{
		"sitemap without its file", "empty sitemap", "sitemap that is cut off", "page in place of the sitemap", "sitemap that is disallowed", "sitemap with an error",
		"PHP error with status 200", "staging robots.txt in production", "rule of robots.txt that is too wide", "sitemap gone", "sitemap of the staging site", "sitemap lists a page that was removed",
		"page removed, with its links and its entry",
	}
	withOthers = []string{"title copied", "hreflang without a link back", "background of a stylesheet gone", "id of a heading renamed"}
)

// TestGateNamesEachPlantedChange holds that the gate fails for each change that breaks the site, and
// names the file and the line that did it.
func TestGateNamesEachPlantedChange(t *testing.T) {
	baseline := released(t)
	crawls := make(map[string][]change)
	for _, c := range planted {
		name := "most of them"
		switch {
		case slices.Contains(alone, c.name):
			name = c.name
		case slices.Contains(withOthers, c.name):
			name = "the others"
		}
		crawls[name] = append(crawls[name], c)
	}
	for name, changes := range crawls {
		t.Run(name, func(t *testing.T) {
			b := newBuild()
			for _, c := range changes {
				c.edit(t, b)
			}
			got, v := gateOf(t, b, baseline)
			if got.Code != cli.ExitFindings {
				t.Errorf("exit code %d", got.Code)
			}
			for _, c := range changes {
				wantProblem(t, b, c, v)
				if c.rule == "sitemap-unreadable" && len(v.Problems) != 1 { // not one for each of its pages
					t.Errorf("%d problems: %+v", len(v.Problems), v.Problems)
				}
			}
		})
	}
}

// wantProblem holds that a verdict has the problem of a change, at its place.
func wantProblem(t *testing.T, b build, c change, v verdict) {
	t.Helper()
	line := 0
	if c.at != "" {
		line = b.lineIn(t, c.file, c.at)
	}
	about := c.about
	if strings.HasPrefix(about, "/") {
		about = origin + about
	}
	var seen []string
	for _, p := range v.Problems {
		place := p.Places[0]
		if p.Rule == c.rule && p.URL == about && place.File == filepath.Join("public", filepath.FromSlash(c.file)) && place.Line == line {
			return
		}
		seen = append(seen, fmt.Sprintf("%s %s at %s", p.Rule, p.URL, place))
	}
	t.Errorf("%s: no %s %s at public/%s:%d in\n%s", c.name, c.rule, about, c.file, line, strings.Join(seen, "\n"))
}

// harmless are edits that break nothing.
var harmless = map[string]func(t *testing.T, b build){
	"text": func(t *testing.T, b build) { b.replace(t, "Run it.", "Run it twice.", "guide.html") },
	"title": func(t *testing.T, b build) {
		b.replace(t, "<title>About the company", "<title>About our company", "about/index.html")
	},
	"description": func(t *testing.T, b build) {
		b.replace(t, "All about products, on", "All products on", "products/index.html")
	},
	"heading":       func(t *testing.T, b build) { b.replace(t, "<h1>Guide", "<h1>The guide", "guide.html") },
	"text of links": func(t *testing.T, b build) { b.replace(t, ">About</a>", ">About us</a>", b.pages()...) },
	"absolute links": func(t *testing.T, b build) {
		b.replace(t, `href="/contact.html"`, `href="`+origin+`/contact.html"`, b.pages()...)
	},
	"order of the navigation": func(t *testing.T, b build) {
		b.replace(t, `<a href="/about/">About</a> <a href="/products/">Products</a>`, `<a href="/products/">Products</a> <a href="/about/">About</a>`, b.pages()...)
	},
	"white space":           func(t *testing.T, b build) { b.replace(t, "\n", "\n\n", "blog/index.html") },
	"quotes":                func(t *testing.T, b build) { b.replace(t, `href="a.html"`, `href='a.html'`, "products/index.html") },
	"comment in robots.txt": func(_ *testing.T, b build) { b["robots.txt"] = "# the rules\n" + b["robots.txt"] },
	"rule without a page": func(t *testing.T, b build) {
		b.replace(t, "Disallow: /admin/", "Disallow: /admin/\nDisallow: /cart", "robots.txt")
	},
	"same rules in two groups": func(_ *testing.T, b build) { b["robots.txt"] = "User-agent: *\nAllow: /\n\n" + b["robots.txt"] },
	"Crawl-delay": func(t *testing.T, b build) {
		b.replace(t, "Disallow: /admin/", "Disallow: /admin/\nCrawl-delay: 9", "robots.txt")
	},
	"lastmod": func(t *testing.T, b build) { b.replace(t, "2026-01-02", "2026-02-03", "sitemap.xml") },
	"order of the sitemap": func(_ *testing.T, b build) {
		list := paths()
		slices.Reverse(list)
		b["sitemap.xml"] = sitemapOf(append(list, "/news.html")) // of "new page", which comes before
	},
	"style":  func(t *testing.T, b build) { b.replace(t, "#222", "#111", "style.css") },
	"script": func(_ *testing.T, b build) { b["app.js"] = "console.log(2)\n" },
	"image":  func(_ *testing.T, b build) { b["logo.png"] += "new" },
	"new page": func(t *testing.T, b build) {
		d := doc{"/news.html", "News", "", "<p>None.</p>"}
		b[d.file()] = d.html()
		b.replace(t, "<p>Welcome.", `<p><a href="/news.html">News</a>. Welcome.`, "index.html")
		b.replace(t, "</urlset>", "<url><loc>"+origin+"/news.html</loc></url>\n</urlset>", "sitemap.xml")
	},
	"new image": func(t *testing.T, b build) {
		b["new.svg"] = "<svg/>"
		b.replace(t, "<p>Better", `<img src="/new.svg" alt=""><p>Better`, "products/b.html")
	},
	"link to a fragment": func(t *testing.T, b build) {
		b.replace(t, "<p>Write", `<p id="write">Write`, "contact.html")
		b.replace(t, "Welcome.", `Welcome. <a href="contact.html#write">Write</a>.`, "index.html")
	},
	"page that was moved within the text": func(t *testing.T, b build) {
		b.replace(t, `Read the <a href="/guide.html#install">guide</a>.`, "", "index.html")
		b.replace(t, "<p>Before:", `<p>Read the <a href="/guide.html">guide</a>. Before:`, "blog/2.html")
	},
	"name of a class": func(t *testing.T, b build) { b.replace(t, "<nav>", `<nav class="top">`, b.pages()...) },
}

// TestGatePassesHarmlessEdits holds that edits that break nothing have no finding.
func TestGatePassesHarmlessEdits(t *testing.T) {
	baseline, b := released(t), newBuild()
	for _, name := range slices.Sorted(maps.Keys(harmless)) {
		harmless[name](t, b)
	}
	if got, v := gateOf(t, b, baseline); got.Code != cli.ExitDone || len(v.Problems) > 0 {
		t.Errorf("%+v, %+v", got, v.Problems)
	}
}

// A change since the baseline that does not fail the gate is named.
func TestChangesThatDoNotFailAreNamed(t *testing.T) {
	baseline := released(t)
	b := newBuild()
	b.replace(t, "<title>Contact", "<title>Contacts", "contact.html")
	t.Chdir(filepath.Dir(b.write(t)))
	for failOn, want := range map[string]string{"new": "passed: no new error or warning, 1 notice in all; ", "error": "passed: no error, 1 notice; "} {
		got := run(t, "ci", "public", "--base", origin+"/", "--output", failOn, "--baseline", baseline, "--fail-on", failOn)
		if !strings.HasPrefix(got.Out, want) || !strings.Contains(got.Out, "\n  notice  Pages with another title: 1\n") {
			t.Errorf("%s: %+v", failOn, got)
		}
	}
}

// A page that gets its own title is fixed. It was the first of its group, but the others are not new.
func TestGatePassesOwnTitleOfDuplicate(t *testing.T) {
	b := newBuild()
	for file, title := range map[string]string{"contact.html": "Contact", "blog/1.html": "First post", "blog/2.html": "Second post"} {
		b.replace(t, "<title>"+title, "<title>Archive", file)
	}
	if got, _ := gateOf(t, b, ""); got.Code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	baseline := clitest.Must(filepath.Abs("crawl"))(t)
	b.replace(t, "<title>Archive", "<title>First post", "blog/1.html")
	if got, v := gateOf(t, b, baseline); got.Code != cli.ExitDone || len(v.Problems) > 0 || v.Fixed != 1 {
		t.Errorf("%+v, %+v, %d fixed", got, v.Problems, v.Fixed)
	}
}

// Without --base the folder is a site whose name nothing else has: the localhost of an example in the
// documentation is not the folder. The page with a broken asset is named even if no page has a link.
func TestFolderWithoutBase(t *testing.T) {
	for _, tt := range []struct {
		b    build
		want []string
	}{
		{
			build{"index.html": "<title>Home</title>\n<a href=a.html>a</a>", "a.html": "<title>A</title>\n<a href=missing.html>m</a><img src=missing.png><a href=http://localhost/example>e</a>"},
			[]string{"failed: 2 errors; 3 pages in ", "public/a.html:2: Broken links: http://folder.invalid/missing.html (status 404)", "public/a.html:2: Broken assets: http://folder.invalid/missing.png"},
		},
		{build{"index.html": "<title>Home</title>\n<img src=a.png>"}, []string{"public/index.html:2: Broken assets: http://folder.invalid/a.png (status 404)\n"}},
	} {
		t.Chdir(filepath.Dir(tt.b.write(t)))
		got := run(t, "ci", "public")
		if clitest.WantParts(t, got.Out, tt.want...); got.Code != cli.ExitFindings {
			t.Errorf("exit code %d", got.Code)
		}
	}
}

// A file behind a symbolic link out of the folder is not served, and its finding says why. A link to
// a page without its ending works, as it does where such sites are hosted.
func TestLinksOutOfTheFolderAreNamed(t *testing.T) {
	b := build{"index.html": "<title>Home</title>\n<img src=/shared/a.png><img src=/b.png>\n<img src=/c.png><a href=about>About</a>", "about.html": "<title>About</title>\n<a href=gone>g</a>"}
	dir, outside := b.write(t), t.TempDir()
	clitest.OK(t, os.WriteFile(filepath.Join(outside, "a.png"), nil, 0o600))
	for link, target := range map[string]string{"shared": outside, "b.png": filepath.Join(outside, "a.png")} {
		clitest.OK(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	t.Chdir(filepath.Dir(dir))
	got := run(t, "ci", "public")
	for _, want := range []string{
		"failed: 4 errors; 3 pages in ",
		"public/index.html:2: Broken assets: http://folder.invalid/shared/a.png (status 404: public/shared/a.png is behind a symbolic link that is absolute or leaves the folder)\n",
		"public/index.html:2: Broken assets: http://folder.invalid/b.png (status 404: public/b.png is behind a symbolic link that is absolute or leaves the folder)\n",
		"public/index.html:3: Broken assets: http://folder.invalid/c.png (status 404)\n",
		"public/about.html:2: Broken links: http://folder.invalid/gone (status 404)\n",
	} {
		if got.Code != cli.ExitFindings || !strings.Contains(got.Out, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
}

// Findings of a check that the baseline lacks are not new, and the summary says so.
func TestChecksThatTheBaselineLacks(t *testing.T) {
	b := newBuild()
	delete(b, "logo.png")
	if got, _ := gateOf(t, b, "", "--check", ""); got.Code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	baseline := clitest.Must(filepath.Abs("crawl"))(t)
	got, v := gateOf(t, b, baseline)
	if got.Code != cli.ExitDone || !slices.ContainsFunc(v.Notes, func(n string) bool {
		return strings.HasSuffix(n, "of rules that the old crawl did not check (broken-asset 1)")
	}) {
		t.Errorf("%+v, %q", got, v.Notes)
	}
}

// A redirect loop needs a server. Its problems name URLs.
func TestGateOfAServer(t *testing.T) {
	loop := false
	server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<title>Home</title><a href="/old">old</a>`))
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		case r.URL.Path == "/new" && loop:
			http.Redirect(w, r, "/old", http.StatusMovedPermanently)
		case r.URL.Path == "/new":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<title>New</title>`))
		default:
			http.NotFound(w, r)
		}
	})
	t.Chdir(t.TempDir())
	flags := []string{"ci", server.URL + "/", "--delay", "0s"}
	if got := run(t, append(flags, "--output", "before")...); got.Code != cli.ExitDone || !strings.HasPrefix(got.Out, "passed: no error, 1 warning, 4 notices; 3 pages in ") {
		t.Fatalf("%+v", got)
	}
	loop = true
	got := run(t, append(flags, "--output", "after", "--baseline", "before", "--fail-on", "new")...)
	if got.Code != cli.ExitFindings || !strings.Contains(got.Out, "Redirect loops: "+server.URL+"/") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join("after", compareFile)); err != nil {
		t.Error(err)
	}
}

func TestGateWithoutPagesFails(t *testing.T) {
	b := newBuild()
	b["robots.txt"] = stagingRobots
	_, v := gateOf(t, b, "")
	if len(v.Problems) != 1 || v.Problems[0].Rule != "start-not-fetched" || v.Problems[0].Places[0].String() != filepath.Join("public", "robots.txt")+":2" {
		t.Errorf("%+v", v.Problems)
	}
}

// A gate that a limit ended does not pass: what it did not check may be broken. A limit that leaves
// nothing to check restricts the gate on purpose.
func TestIncompleteGateFails(t *testing.T) {
	b := build{"index.html": "<title>Home</title><img src=a.png><img src=b.png><img src=c.png><a href=about.html>About</a>", "about.html": "<title>About</title>"}
	incomplete := regexp.MustCompile(`^failed: 1 error; 1 page in \d+m?s, crawl not finished: max-pages
  error  http://folder.invalid/: Crawls that ended before they had checked everything: http://folder.invalid/ \(max-pages: \d URLs not fetched or checked\)
`)
	for _, tt := range []struct {
		name  string
		flags []string
		code  int
		want  *regexp.Regexp
	}{
		{"limit of the crawl", []string{"--max-pages", "1"}, cli.ExitFailed, incomplete},
		{"limit of each host", []string{"--max-host-pages", "1"}, cli.ExitFindings, regexp.MustCompile(`^failed: 3 errors; 1 page in \d+m?s\n`)},
		{"nothing remains", []string{"--max-pages", "2", "--check", ""}, cli.ExitDone, regexp.MustCompile(`^passed: no error, 5 notices; 2 pages in \d+m?s`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(filepath.Dir(b.write(t)))
			got := run(t, append([]string{"ci", "public", "--junit", "junit.xml"}, tt.flags...)...)
			if got.Code != tt.code || !tt.want.MatchString(got.Out) {
				t.Errorf("%+v, want exit code %d and %s", got, tt.code, tt.want)
			}
			junit, err := os.ReadFile("junit.xml")
			if failed := bytes.Contains(junit, []byte("<failure")); err != nil || failed != (tt.code != cli.ExitDone) {
				t.Errorf("%v in\n%s", err, junit)
			}
		})
	}
}

func TestSummaryIsShort(t *testing.T) {
	b := newBuild()
	for i := range 200 {
		b.replace(t, "<h1>", fmt.Sprintf("<a href=\"/missing-%d.html\">x</a>\n<h1>", i), "index.html")
	}
	for _, file := range b.pages() {
		b.replace(t, "<title>", "<x>", file)
	}
	t.Chdir(filepath.Dir(b.write(t)))
	got := run(t, "ci", "public", "--base", origin+"/", "--fail-on", "warning", "--github")
	annotations := 0
	var lines []string
	for line := range strings.Lines(got.Out) {
		if strings.HasPrefix(line, "::") {
			annotations++
		} else {
			lines = append(lines, line)
		}
	}
	if got.Code != cli.ExitFindings || len(lines) > maxLines || annotations > 2*maxAnnotations+1 || !strings.Contains(got.Out, ", and 185 more") ||
		lines[1] != "  error  Broken links: 200\n" || lines[2] != "  warning  Pages without title: 11\n" {
		t.Errorf("%d lines, %d annotations: %+v", len(lines), annotations, got)
	}
}

func TestMisuse(t *testing.T) {
	dir := build{"index.html": "home"}.write(t)
	foreign := build{"index.html": "home", "robots.txt": siteRobots}.write(t)
	listing := build{"index.html": "home", "sitemap.xml": sitemapOf([]string{"/"})}.write(t)
	program.WantMisuse(t, []string{"ci"}, []clitest.Misuse{
		{Args: []string{}, Words: []string{"start URLs or the folder"}},
		{Args: []string{dir + "-missing"}, Words: []string{"no folder"}},
		{Args: []string{dir, "--github", "--format", "json"}, Words: []string{"--github", "--format json"}},
		{Args: []string{"https://example.com/", "--base", "https://example.com/"}, Words: []string{"--base needs a folder"}},
		{Args: []string{dir, "--base", "example.com"}, Words: []string{"--base", "https://example.com"}},
		{Args: []string{dir, "--base", "https://example.com/a"}, Words: []string{"--base", "end it with a slash"}},
		{Args: []string{dir, "--base", "https://example.com/?a"}, Words: []string{"--base", "has a query"}},
		{Args: []string{dir, foreign}, Words: []string{"give one folder, or URLs"}},
		{Args: []string{dir, "https://example.com/"}, Words: []string{"give one folder, or URLs"}},
		{Args: []string{filepath.Join(dir, "index.html")}, Words: []string{"is a file; name its folder"}},
		{Args: []string{dir, "--sarif", "-"}, Words: []string{"--sarif needs the name of a file"}},
		{Args: []string{dir, "--junit", "-"}, Words: []string{"--junit needs the name of a file"}},
		{Args: []string{dir, "--fail-on", "new"}, Words: []string{"--fail-on new needs --baseline"}},
		{Args: []string{dir, "--fail-on", "all"}, Words: []string{`"all" is not one of error, warning, new`}},
		{Args: []string{dir, "--baseline", dir}, Words: []string{"--baseline", "no crawl"}},
		{Args: []string{dir, "--junit", filepath.Join(dir, "missing", "j.xml")}, Words: []string{"--junit", "no directory"}},
		{Args: []string{dir, "--robots", dir + "-missing"}, Words: []string{"--robots", "no such file"}},
		{Args: []string{dir, "--robots", ""}, Words: []string{"--robots names no file"}},
		{Args: []string{"https://example.com/", "--robots", "robots.txt"}, Words: []string{"--robots needs a folder"}},
		{Args: []string{listing}, Words: []string{"sitemap.xml lists a URL at https://www.example.com", "--base https://www.example.com/"}},
		{Args: []string{foreign}, Words: []string{"robots.txt lists a sitemap at https://www.example.com", "--base https://www.example.com/"}},
	})
}

// The verdict counts the findings that do not fail, also those of the baseline.
func TestFindingsThatDoNotFailAreCounted(t *testing.T) {
	b := build{"index.html": "<title>Home</title>\n<a href=a.html>a</a><a href=gone.html>g</a>", "a.html": "<title>A</title><h1>A</h1>"}
	_, first := gateOf(t, b, "")
	dir := clitest.Must(filepath.Abs("crawl"))(t)
	if first.Counts[report.SeverityError] != 1 || first.Others[report.SeverityError] != 0 || first.Others[report.SeverityNotice] == 0 {
		t.Errorf("problems %v, others %v", first.Counts, first.Others)
	}
	b["a.html"] += "<a href=lost.html>l</a>"
	_, second := gateOf(t, b, dir)
	if second.Counts[report.SeverityError] != 1 || second.Others[report.SeverityError] != 1 || second.Others[report.SeverityNotice] != first.Others[report.SeverityNotice] {
		t.Errorf("problems %v, others %v, want others as in %v", second.Counts, second.Others, first.Others)
	}
}

// A test server whose robots.txt and pages name the real site, which does not respond, is crawled to
// the end: nothing waits for the real site.
func TestServerThatNamesUnreachableSite(t *testing.T) {
	const site = "http://127.0.0.9:1"
	server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			_, _ = fmt.Fprintf(w, "Sitemap: %s/sitemap.xml\n", site)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, "<title>%s</title><link rel=canonical href=%q><a href=/a>a</a><a href=/b>b</a>", r.URL.Path, site+r.URL.Path)
	})
	t.Chdir(t.TempDir())
	got := run(t, "ci", server.URL+"/", "--delay", "0s", "--retries", "0", "--max-wait", "1s", "--output", "crawl")
	for _, want := range []string{"failed: 2 errors; 3 pages in ", "and on 2 other pages", "Sitemaps that cannot be read: " + site + "/sitemap.xml (failed: "} {
		if got.Code != cli.ExitFindings || !strings.Contains(got.Out, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
}

// What ci advises runs the gate: a resumed crawl does not.
func TestAdviceRunsTheGate(t *testing.T) {
	t.Chdir(filepath.Dir(build{"index.html": "<title>Home</title><a href=a>a</a>", "a.html": "<title>A</title>"}.write(t)))
	const allowed = "--allow-addr=192.0.2.1" // keeps run from allowing loopback
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"limit", []string{"public", "--output", "a", "--max-pages", "1", "--format", "json"}, cli.ExitFailed, ""},
		{"directory with a crawl", []string{"public", "--output", "a"}, cli.ExitMisuse, "name another directory or remove this one"},
		{"blocked address", []string{"http://127.0.0.1:9/", "--output", "b", allowed}, cli.ExitFailed, "run the command again with --allow-addr 192.0.2.1,127.0.0.0/8 and another --output\n"},
		{"baseline without a page", []string{"public", "--output", "c", "--baseline", "b"}, cli.ExitMisuse, "the crawl in \"b\" has no page to compare with"},
	} {
		got := run(t, append([]string{"ci"}, tt.args...)...)
		if said := got.Out + got.Stderr; got.Code != tt.code || !strings.Contains(said, tt.want) || strings.Contains(said, "resume") {
			t.Errorf("%s: %+v, want exit code %d and %q", tt.name, got, tt.code, tt.want)
		}
	}
}

// Without retries the gate does not wait for a server that is down. The robots.txt that cannot be
// requested still allows nothing.
func TestServerThatIsDown(t *testing.T) {
	var asked atomic.Int32
	server := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		http.Error(w, "down", http.StatusServiceUnavailable)
	})
	t.Chdir(t.TempDir())
	got := run(t, "ci", server.URL+"/", "--delay", "0s", "--retries", "0", "--output", "a")
	if got.Code != cli.ExitLater || asked.Load() != 1 || !strings.Contains(got.Out, "Start URLs that were not fetched: "+server.URL+"/ (status 503)") {
		t.Errorf("%d requests: %+v", asked.Load(), got)
	}
	b := build{"index.html": "<title>Home</title><a href=gone>g</a>"}
	t.Chdir(filepath.Dir(b.write(t)))
	up := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(b["index.html"]))
	})
	if got := run(t, "ci", server.URL+"/", up.URL+"/", "--delay", "0s", "--retries", "0", "--output", "b"); got.Code != cli.ExitFindings {
		t.Errorf("with a broken link: %+v", got)
	}
}
