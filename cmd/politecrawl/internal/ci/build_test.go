package ci

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A build is the files of a static site, by path.
type build map[string]string

// origin is the site that the build will be.
const origin = "https://www.example.com"

// doc is a page of the site.
type doc struct {
	path, title string
	head, body  string
}

// html is what the template writes around a page. Its lines are counted by the tests.
func (d doc) html() string {
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%s</title>
<meta name="description" content="All about %s, on one page.">
<link rel="canonical" href="%s%s">
<link rel="stylesheet" href="/style.css">
%s
</head>
<body>
<nav><a href="/">Home</a> <a href="/about/">About</a> <a href="/products/">Products</a> <a href="/blog/">Blog</a> <a href="/contact.html">Contact</a></nav>
<h1>%s</h1>
<img src="/logo.png" alt="Logo">
%s
<script src="/app.js"></script>
</body>
</html>
`, d.title, strings.ToLower(d.title), origin, d.path, d.head, d.title, d.body)
}

// docs are the pages of the site.
var docs = []doc{
	{"/", "The Example Company", `<link rel="alternate" hreflang="de" href="` + origin + `/de/">` + "\n" + `<link rel="alternate" hreflang="en" href="` + origin + `/">`, `<p>Welcome. Read the <a href="/guide.html#install">guide</a>.</p>`},
	{"/de/", "Die Beispielfirma", `<link rel="alternate" hreflang="en" href="` + origin + `/">` + "\n" + `<link rel="alternate" hreflang="de" href="` + origin + `/de/">`, `<p>Willkommen.</p>`},
	{"/about/", "About the company", "", `<p>See also <a href="/de/">deutsch</a>.</p>`},
	{"/products/", "Products", "", "<ul>\n<li><a href=\"a.html\">A</a></li>\n<li><a href=\"b.html\">B</a></li>\n</ul>"},
	{"/products/a.html", "Product A", "", `<img src="../photo.jpg" srcset="../photo.jpg 1x, ../photo-2x.jpg 2x" alt="">`},
	{"/products/b.html", "Product B", "", `<p>Better than <a href="a.html">A</a>.</p>`},
	{"/blog/", "Blog", "", `<a href="1.html">One</a> <a href="2.html">Two</a>`},
	{"/blog/1.html", "First post", "", `<p>Next: <a href="2.html">two</a></p>`},
	{"/blog/2.html", "Second post", "", `<p>Before: <a href="1.html">one</a></p>`},
	{"/contact.html", "Contact", "", `<p>Write to us.</p>`},
	{"/guide.html", "Guide", "", `<h2 id="install">Install</h2><p>Run it.</p>`},
}

const (
	stagingRobots = "User-agent: *\nDisallow: /\n"
	siteRobots    = "User-agent: *\nDisallow: /admin/\n\nSitemap: " + origin + "/sitemap.xml\n"
	styles        = "body { color: #222; }\nmain {\n\tbackground: url(\"bg.png\");\n}\n"
)

// newBuild returns the site as it was released last.
func newBuild() build {
	b := build{
		"robots.txt": siteRobots, "style.css": styles, "app.js": "console.log(1)\n", "404.html": "<title>Not found</title><h1>Not found</h1>",
		"logo.png": "\x89PNG\r\n\x1a\n", "photo.jpg": "\xff\xd8\xff", "photo-2x.jpg": "\xff\xd8\xff\xe0", "bg.png": "\x89PNG\r\n\x1a\nbg",
	}
	for _, d := range docs {
		b[d.file()] = d.html()
	}
	b["sitemap.xml"] = sitemapOf(paths())
	return b
}

func (d doc) file() string {
	if strings.HasSuffix(d.path, "/") {
		return d.path[1:] + "index.html"
	}
	return d.path[1:]
}

func paths() []string {
	var list []string
	for _, d := range docs {
		list = append(list, d.path)
	}
	return list
}

// sitemapOf lists pages, each on two lines.
func sitemapOf(paths []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "<url><loc>%s%s</loc>\n<lastmod>2026-01-02</lastmod></url>\n", origin, p)
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

// replace changes a text in files. It fails if no file has it.
func (b build) replace(t *testing.T, old, text string, files ...string) {
	t.Helper()
	found := false
	for _, file := range files {
		found = found || strings.Contains(b[file], old)
		b[file] = strings.ReplaceAll(b[file], old, text)
	}
	if !found {
		t.Fatalf("no %q in %v", old, files)
	}
}

// pages returns the files that the template wrote.
func (b build) pages() []string {
	var list []string
	for file := range b {
		if strings.HasSuffix(file, ".html") && file != errorFile {
			list = append(list, file)
		}
	}
	slices.Sort(list)
	return list
}

// write writes the site into a folder.
func (b build) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "public")
	for _, file := range slices.Sorted(maps.Keys(b)) {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b[file]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lineIn returns the number of the first line of a file that has a text.
func (b build) lineIn(t *testing.T, file, text string) int {
	t.Helper()
	before, _, ok := strings.Cut(b[file], text)
	if !ok {
		t.Fatalf("%s has no %q", file, text)
	}
	return 1 + strings.Count(before, "\n")
}
