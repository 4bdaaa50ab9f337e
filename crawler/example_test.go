package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// newSite serves pages on loopback, so that the examples run anywhere. They may use
// {site} for its URL.
func newSite(pages map[string]string) (site *httptest.Server, cfg crawler.Config, done func()) {
	return serve(func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if !strings.HasSuffix(r.URL.Path, ".txt") {
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, strings.ReplaceAll(text, "{site}", "http://"+r.Host))
	})
}

// serve returns a site, and the configuration of a crawl of it that need not be gentle,
// as nobody but us has anything from the site.
func serve(answer http.HandlerFunc) (site *httptest.Server, cfg crawler.Config, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	site = httptest.NewServer(answer)
	cfg = crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir, cfg.Politeness.Delay = []string{site.URL + "/"}, filepath.Join(dir, "crawl"), 0
	return site, cfg, func() {
		site.Close()
		_ = os.RemoveAll(dir)
	}
}

// How do I crawl a site, and what do I get?
func Example_howDoICrawlASite() {
	site, cfg, done := newSite(map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private/\nSitemap: {site}/map.txt\n",
		"/map.txt":    "{site}/listed\n",
		"/":           `<title>Home</title><a href="/about">about</a> <a href="/private/">private</a>`,
		"/about":      `<title>About us</title>`,
		"/listed":     `<title>Nobody links here</title>`,
	})
	defer done()
	cfg.Fetch.UserAgent = "examplebot/1.0 (+https://example.com/bot)"

	c, err := crawler.New(cfg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := c.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.End, "with", sum.Pages, "pages; left alone:", sum.Rejected)
	for page, err := range output.Read[output.Page](cfg.Output.Dir) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q by %s\n", strings.TrimPrefix(page.URL, site.URL), page.Title, page.Source)
	}
	for r, err := range output.Read[output.Rejection](cfg.Output.Dir) {
		if err == nil {
			fmt.Printf("%s %s by line %d, %s\n", strings.TrimPrefix(r.URL, site.URL), r.Reason, r.Line, r.Rule)
		}
	}
	// Unordered output:
	// finished with 3 pages; left alone: map[disallowed:1]
	// / "Home" by start
	// /about "About us" by link
	// /listed "Nobody links here" by sitemap
	// /private/ disallowed by line 2, Disallow: /private/
}

// What is wrong with my configuration?
func ExampleConfig_Validate() {
	cfg := crawler.Default()
	cfg.URLs = []string{"example.com"}
	cfg.Limits.Workers = 0
	err := cfg.Validate()
	fmt.Println(errors.Is(err, crawler.ErrConfig))
	fmt.Println(err)
	// Output:
	// true
	// bad configuration: urls: "example.com" has no scheme; write it as https://example.com or http://example.com
	// bad configuration: workers: 0 is less than 1
}

// How fast is a crawl if I say nothing?
func ExampleDefault() {
	cfg := crawler.Default()
	fmt.Println("from the end of a request to a host to the start of the next:", cfg.Politeness.Delay)
	fmt.Println("longest Crawl-delay that is obeyed as written:", cfg.Politeness.MaxCrawlDelay)
	fmt.Println("requests in flight on a host:", cfg.Politeness.PerHost)
	// Output:
	// from the end of a request to a host to the start of the next: 1s
	// longest Crawl-delay that is obeyed as written: 30s
	// requests in flight on a host: 1
}

// Under which address does a crawl know a page?
func ExampleCanonical() {
	for _, raw := range []string{"HTTPS://Jane@Example.com:443/a/../b?x=1&y#top", "http://bücher.example", "mailto:jane@example.com"} {
		url, err := crawler.Canonical(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(url)
	}
	// Output:
	// https://example.com/b?x=1&y
	// http://xn--bcher-kva.example/
	// "mailto:jane@example.com": unsupported scheme
}
