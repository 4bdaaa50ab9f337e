package compare_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// twoCrawls writes the directories of two crawls. Between them a page got noindex, and a link
// broke.
func twoCrawls() (before, after string, remove func()) {
	parent, err := os.MkdirTemp("", "compare-example-")
	if err != nil {
		log.Fatal(err)
	}
	write := func(name string, pages ...*output.Page) string {
		dir := filepath.Join(parent, name)
		d, err := results.Create(dir, map[string]any{
			"version": results.Version,
			"config":  map[string]any{"urls": []string{"https://example.com/"}, "user-agent": "examplebot/1.0", "links": true},
			"ended":   report.CrawlEnd{End: "finished"},
		})
		var b results.Batch
		for _, p := range pages {
			p.URL, p.ContentType = "https://example.com"+p.URL, "text/html"
			err = errors.Join(err, results.Pages.Add(&b, p))
		}
		if err = errors.Join(err, d.Write(&b), d.Close()); err != nil {
			log.Fatal(err)
		}
		return dir
	}
	before = write("before", &output.Page{URL: "/", Status: 200}, &output.Page{URL: "/news", Status: 200})
	after = write("after", &output.Page{URL: "/", Status: 200}, &output.Page{URL: "/old", Status: 404},
		&output.Page{URL: "/news", Status: 200, Directives: []output.Directive{{Rule: "noindex", Source: "meta robots"}}})
	return before, after, func() { _ = os.RemoveAll(parent) }
}

// What is worse than in the last crawl?
func ExampleCompare() {
	old, now, remove := twoCrawls()
	defer remove()

	before, err := compare.Open(old)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := report.Generate(context.Background(), []string{now}, nil) // a program that has the report anyway needs no second one
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := compare.New(now, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, rule := range compare.Compare(before, after).Regressions(report.SeverityError) {
		for _, f := range rule.Rows {
			fmt.Println(rule.ID, f.URL, f.Detail)
		}
	}
	// Output:
	// broken-link https://example.com/old status 404
	// page-noindex https://example.com/news noindex
}

// How do I recognize a finding in a later crawl?
func ExampleKey() {
	before := report.Finding{URL: "https://example.com/b", Related: "https://example.com/a", Detail: "Archive"}
	after := report.Finding{URL: "https://example.com/b", Related: "https://example.com/c", Detail: "Archive"}
	fmt.Println(compare.Key("title-duplicate", before) == compare.Key("title-duplicate", after))
	fmt.Println(compare.Key("hreflang-broken", before) == compare.Key("hreflang-broken", after)) // other links of the page
	// Output:
	// true
	// false
}

// Which changes are errors?
func ExampleRules() {
	for _, r := range compare.Rules() {
		if r.Severity == report.SeverityError {
			fmt.Println(r.ID)
		}
	}
	// Output:
	// page-disallowed
	// page-noindex
	// page-broken
}
