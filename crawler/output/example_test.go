package output_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// exampleCrawl writes the directory of a crawl.
func exampleCrawl() (dir string, remove func(), err error) {
	parent, err := os.MkdirTemp("", "output")
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(parent, "crawl")
	d, err := results.Create(dir, map[string]any{"started_at": "2026-03-01T12:00:00Z"})
	if err != nil {
		return "", nil, err
	}
	const site = "https://example.com"
	var b results.Batch
	err = errors.Join(
		results.Pages.Add(&b, &output.Page{URL: site + "/", Status: 200, Title: "Home", Source: "start"}),
		results.Pages.Add(&b, &output.Page{URL: site + "/gone", Status: 404, Depth: 1, Source: "link", FoundOn: site + "/"}),
		results.Links.Add(&b, &output.Links{URL: site + "/", To: []output.Link{{URL: site + "/gone"}, {URL: site + "/private/"}}}),
		results.Rejected.Add(&b, &output.Rejection{URL: site + "/private/", Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2}),
		results.Sitemaps.Add(&b, &output.Sitemap{URL: site + "/map.xml", Status: 200, Pages: 1}),
		results.Entries.Add(&b, &output.Entry{URL: site + "/", Sitemap: site + "/map.xml", LastMod: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}),
		d.Write(&b),
		exampleRobots(d, site, []byte("User-agent: *\nDisallow: /private/\n")),
		d.Close())
	return dir, func() { _ = os.RemoveAll(parent) }, err
}

func exampleRobots(d *results.Dir, origin string, body []byte) error {
	line, err := d.Robots(origin, body, map[string]string{"outcome": "rules"}, false)
	if err != nil {
		return err
	}
	_, err = d.RobotsLog().Append(line)
	return err
}

// Which pages are broken?
func ExampleRead() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()

	for page, err := range output.Read[output.Page](dir) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if page.Status >= 400 {
			fmt.Println(page.Status, page.URL, "found on", page.FoundOn)
		}
	}
	// Output: 404 https://example.com/gone found on https://example.com/
}

// Which URLs did a crawl skip, and why?
func ExampleRobotsPath() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()

	for r, err := range output.Read[output.Rejection](dir) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.URL, r.Reason, "by line", r.Line)
	}
	text, err := os.ReadFile(output.RobotsPath(dir, "https://example.com"))
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// https://example.com/private/ disallowed by line 2
	// User-agent: *
	// Disallow: /private/
	// <nil>
}

// How do I read files that a recrawl has renamed, or lines of another type?
func ExampleRead_file() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()

	type fetch struct { // only the fields that you need
		Outcome string
	}
	for fetched, err := range output.Read[fetch](filepath.Join(dir, "robots.jsonl")) {
		fmt.Println(fetched.Outcome, err)
	}
	// Output: rules <nil>
}

// Which robots.txt held when a page was fetched?
func ExampleVersionPath() {
	dir, remove, err := exampleCrawl()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	hash := usage.Hash([]byte("User-agent: *\nDisallow: /private/\n")) // Permission.Robots
	text, err := os.ReadFile(output.VersionPath(dir, hash))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// User-agent: *
	// Disallow: /private/
}
