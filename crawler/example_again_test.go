package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// How does a crawl go on that was stopped or killed?
func ExampleSaved() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a> <a href="/b">b</a>`, "/a": "a", "/b": "b"})
	defer done()
	cfg.Limits.MaxPages = 1

	first, err := crawler.New(cfg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := first.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.End, sum.Pages, "page,", sum.Left, "left")

	saved, err := crawler.Saved(cfg.Output.Dir) // all that is needed is the directory
	if err != nil {
		fmt.Println(err)
		return
	}
	saved.Limits.MaxPages = 0 // what is changed holds from here on
	second, err := crawler.New(saved, &crawler.Options{Resume: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	if sum, err = second.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.End, sum.Pages, "pages,", sum.Left, "left")
	// Output:
	// max-pages 1 page, 2 left
	// finished 3 pages, 0 left
}

// What has changed since the last crawl? What has not is not sent again.
func ExampleOptions_recrawl() {
	round := "first"
	site, cfg, done := serve(func(w http.ResponseWriter, r *http.Request) {
		etag := map[string]string{"/": `"1"`, "/news": `"` + round + `"`}[r.URL.Path]
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", etag)
		switch {
		case etag == "":
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			fmt.Fprintf(w, `<title>The %s round</title><a href="/news">news</a>`, round)
		}
	})
	defer done()

	for _, opts := range []*crawler.Options{nil, {Recrawl: true}} {
		c, err := crawler.New(cfg, opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := c.Run(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
		for page, err := range output.Read[output.Page](cfg.Output.Dir) {
			if err == nil {
				fmt.Printf("%s %d %q unchanged: %v\n", strings.TrimPrefix(page.URL, site.URL), page.Status, page.Title, page.Unchanged)
			}
		}
		round = "second"
	}
	// Output:
	// / 200 "The first round" unchanged: false
	// /news 200 "The first round" unchanged: false
	// / 304 "" unchanged: true
	// /news 200 "The second round" unchanged: false
}
