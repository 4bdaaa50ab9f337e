package report_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// smallCrawl writes the directory of a crawl of three pages.
func smallCrawl() (dir string, remove func()) {
	parent, err := os.MkdirTemp("", "report-example-")
	if err != nil {
		log.Fatal(err)
	}
	dir = filepath.Join(parent, "crawl")
	const site = "https://example.com"
	d, err := results.Create(dir, map[string]any{
		"version": results.Version,
		"config":  map[string]any{"urls": []string{site + "/"}, "user-agent": "examplebot/1.0", "links": true},
		"ended":   report.CrawlEnd{End: "finished"},
	})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var b results.Batch
	err = errors.Join(
		results.Pages.Add(&b, &output.Page{URL: site + "/", Status: 200, Source: "start", ContentType: "text/html", FetchedAt: at, Links: 3}),
		results.Pages.Add(&b, &output.Page{URL: site + "/about", Status: 200, Source: "link", FoundOn: site + "/", ContentType: "text/html", FetchedAt: at, Links: 1}),
		results.Pages.Add(&b, &output.Page{URL: site + "/gone", Status: 404, Source: "link", FoundOn: site + "/", FetchedAt: at}),
		results.Rejected.Add(&b, &output.Rejection{
			URL: site + "/private/", Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2, RobotsURL: site + "/robots.txt",
			Group: "*", Source: "link", FoundOn: site + "/",
		}),
		results.Links.Add(&b, &output.Links{URL: site + "/", To: []output.Link{{URL: site + "/about"}, {URL: site + "/gone"}, {URL: site + "/private/"}}}),
		results.Links.Add(&b, &output.Links{URL: site + "/about", To: []output.Link{{URL: site + "/gone"}}}),
		results.Sitemaps.Add(&b, &output.Sitemap{URL: site + "/sitemap.xml", Status: 200, Origin: site, FoundOn: site + "/robots.txt", Pages: 2, FetchedAt: at}),
		results.Entries.Add(&b, &output.Entry{URL: site + "/", Sitemap: site + "/sitemap.xml"}),
		results.Entries.Add(&b, &output.Entry{URL: site + "/gone", Sitemap: site + "/sitemap.xml"}),
		d.Write(&b), d.Close())
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { _ = os.RemoveAll(parent) }
}

// How do I make the report of a crawl?
func ExampleGenerate() {
	dir, remove := smallCrawl()
	defer remove()

	r, err := report.Generate(context.Background(), []string{dir}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Highlights {
		fmt.Println(f.Level, f.Text)
	}
	// Output:
	// warning Pages without title: 2
	// info Pages without description: 2
	// info Pages without h1: 2
	// error 1 URL is broken (status 4xx, 5xx or no response)
	// error 2 pages link to the broken URL https://example.com/gone
	// info 1 robots.txt line disallows URLs
	// info most by “Disallow: /private/”, line 2 of https://example.com/robots.txt: 1 URL
	// info Links to URLs that robots.txt disallows: 1
	// error URLs in sitemaps that are broken: 1
	// warning Indexable pages in no sitemap: 1
}

// How do I write the report into the directory of the crawl?
func ExampleReport_WriteFiles() {
	dir, remove := smallCrawl()
	defer remove()

	r, err := report.Generate(context.Background(), []string{dir}, nil)
	if err == nil {
		err = r.WriteFiles(context.Background(), dir)
	}
	fmt.Println(report.HTMLFile, report.JSONFile, err)
	// Output:
	// report.html report.json <nil>
}

// How do I show all URLs of a crawl in a browser, however many there are?
func ExampleListen() {
	dir, remove := smallCrawl()
	defer remove()

	listener, err := report.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := report.Generate(context.Background(), []string{dir}, &report.Options{AllURLs: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error)
	go func() { served <- r.Serve(ctx, listener) }()

	resp, err := http.Get("http://" + listener.Addr().String() + "/urls?status=4xx") // as the page at / does
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(os.Stdout, resp.Body); err != nil {
		fmt.Println(err)
		return
	}
	stop()
	fmt.Println(<-served)
	// Output:
	// {"total":1,"rows":[["https://example.com/gone",404,"page","error","",0,2,null,0,0,"","https://example.com/sitemap.xml","","",["broken-link","sitemap-broken"]]]}
	// <nil>
}

// How do the sitemaps differ from the site?
func ExampleGenerate_sitemaps() {
	dir, remove := smallCrawl()
	defer remove()

	// The caller knows that 12 URLs remained when the crawl stopped.
	r, err := report.Generate(context.Background(), []string{dir}, &report.Options{CrawlEnd: func(string) *report.CrawlEnd { return &report.CrawlEnd{Remaining: 12} }})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d URLs are OK\n", r.Sitemaps.OK, r.Sitemaps.URLs)
	for _, k := range report.SitemapFindings(r) {
		for _, row := range k.Rows {
			fmt.Printf("%s: %s (%s)\n", kindOf(k), row.URL, row.Detail)
		}
	}
	fmt.Println("There may be more:", strings.Join(report.SitemapFindings(r)[0].Caveats, "; "))
	// Output:
	// 1 of 2 URLs are OK
	// broken: https://example.com/gone (status 404)
	// not-listed: https://example.com/about (found on https://example.com/)
	// There may be more: the crawl is not finished: 12 URLs remain
}

// Which pages of a crawl belong into a sitemap, and how do I write it?
func ExampleFindIndexable() {
	dir, remove := smallCrawl()
	defer remove()

	pages, err := report.FindIndexable(context.Background(), []string{dir}, nil)
	if err != nil {
		log.Print(err)
		return
	}
	for _, page := range pages.Pages {
		fmt.Println(page.URL)
	}
	sitemaps, err := pages.WriteSitemaps(context.Background(), dir, false)
	if err != nil {
		log.Print(err)
		return
	}
	for _, s := range sitemaps {
		fmt.Println("Sitemap:", s.URL)
	}
	// Output:
	// https://example.com/
	// https://example.com/about
	// Sitemap: https://example.com/sitemap.xml
}
