package sitemap_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// Which pages does a sitemap list?
func ExampleRead() {
	// The body of a response, a file, or anything else; gzipped or not.
	body := strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/catalog?item=12&amp;desc=hawaii</loc><lastmod>2024-11-23</lastmod></url>
  <url><loc>https://example.com/über-uns</loc></url>
</urlset>`)

	for entry, err := range sitemap.Read(body, nil) {
		if err != nil {
			fmt.Println(err) // the entries before it are valid
			break
		}
		fmt.Println(entry.Loc, entry.LastMod.Year())
	}
	// Output:
	// https://example.com/catalog?item=12&desc=hawaii 2024
	// https://example.com/%C3%BCber-uns 1
}

// How do I read a sitemap index, which lists other sitemaps?
func ExampleRead_index() {
	body := strings.NewReader(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap><loc>https://example.com/sitemap-1.xml.gz</loc></sitemap>
</sitemapindex>`)
	for entry, err := range sitemap.Read(body, nil) {
		if err == nil && entry.Sitemap {
			fmt.Println("read next:", entry.Loc)
		}
	}
	// Output:
	// read next: https://example.com/sitemap-1.xml.gz
}

// What is wrong with my sitemap?
func ExampleOptions_findings() {
	body := strings.NewReader(`<urlset>
  <url><loc>/relative</loc></url>
  <url><loc>https://example.com/?a=1&b=2</loc><priority>7</priority></url>
  <url><loc>https://example.com/half`)

	opts := &sitemap.Options{
		OnFinding: func(f sitemap.Finding) { fmt.Println(&f) },
	}
	for entry, err := range sitemap.Read(body, opts) {
		switch {
		case errors.Is(err, sitemap.Truncated):
			fmt.Println("fetch it again")
		case err == nil:
			fmt.Println(entry.Loc)
		}
	}
	// Output:
	// line 2: invalid location, entry skipped: "/relative": not an absolute http, https or ftp URL
	// line 3: unknown entity or character reference, kept as written: "&b=2"
	// line 3: priority is not a number from 0 to 1, default used: "7"
	// https://example.com/?a=1&b=2
	// line 4: the XML ends before the end tag of its root element
	// fetch it again
}

// May this sitemap list pages of another host? Only if the robots.txt of that host lists the
// sitemap.
func ExampleScope() {
	scope, err := sitemap.NewScope(sitemap.Listed, "https://cdn.example.net/shop/sitemap.xml", "https://shop.example.com/robots.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, loc := range []string{"https://shop.example.com/tea", "https://cdn.example.net/shop/tea.jpg", "https://elsewhere.example.org/"} {
		fmt.Println(scope.Accepts(sitemap.Entry{Loc: loc}), loc)
	}
	// Output:
	// true https://shop.example.com/tea
	// true https://cdn.example.net/shop/tea.jpg
	// false https://elsewhere.example.org/
}

// What does a sitemap say about the images, languages and news of a page?
func ExampleEntry() {
	body := strings.NewReader(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc>https://example.com/en</loc>
    <image:image><image:loc>https://example.com/tea.jpg</image:loc></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>
  </url>
</urlset>`)
	for entry, err := range sitemap.Read(body, nil) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(entry.Line, entry.Loc, entry.Priority, entry.News == nil)
		fmt.Println(entry.Images[0].Loc, entry.Alternates[0].Lang, entry.Alternates[0].Href)
	}
	// Output:
	// 3 https://example.com/en 0.5 true
	// https://example.com/tea.jpg de https://example.com/de
}

// How much was read, and is it complete?
func ExampleOptions_onEnd() {
	body := strings.NewReader("https://example.com/a\nexample.com/b\nhttps://example.com/c\n")
	opts := &sitemap.Options{OnEnd: func(s sitemap.Summary) {
		fmt.Println(s.Format, s.Charset, s.DecompressedBytes, "bytes:", s.Entries, "entries,", s.Skipped, "skipped, complete:", s.Complete)
	}}
	for entry, err := range sitemap.Read(body, opts) {
		fmt.Println(entry.Loc, err)
	}
	// Output:
	// https://example.com/a <nil>
	// https://example.com/c <nil>
	// text utf-8 58 bytes: 2 entries, 1 skipped, complete: true
}

// How do I write a sitemap?
func ExampleWriter() {
	w := sitemap.NewWriter(os.Stdout, sitemap.URLSet)
	err := errors.Join(
		w.Write("https://example.com/?a=1&b=2", time.Date(2024, 11, 23, 0, 0, 0, 0, time.UTC)),
		w.Write("https://example.com/über-uns", time.Time{}), // without a date
		w.Close(),
	)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	//   <url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2024-11-23</lastmod></url>
	//   <url><loc>https://example.com/%C3%BCber-uns</loc></url>
	// </urlset>
}
