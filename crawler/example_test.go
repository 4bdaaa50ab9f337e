package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
)

// newSite serves pages on an address of 127.0.0.0/8: HTML by path, and 404 for all other paths.
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

// serve starts a site, and returns it with the configuration of a crawl without delays.
func serve(handler http.HandlerFunc) (site *httptest.Server, cfg crawler.Config, done func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	site = httptest.NewServer(handler)
	cfg = crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir, cfg.Politeness.Delay = []string{site.URL + "/"}, filepath.Join(dir, "crawl"), 0
	return site, cfg, func() {
		site.Close()
		_ = os.RemoveAll(dir)
	}
}

// crawl crawls to the end, as in the first example.
func crawl(cfg crawler.Config, opts *crawler.Options) *crawler.Summary {
	c, err := crawler.New(cfg, opts)
	if err != nil {
		panic(err)
	}
	return run(c)
}

// run runs a crawl to its end.
func run(c *crawler.Crawler) *crawler.Summary {
	sum, err := c.Run(context.Background())
	if err != nil {
		panic(err)
	}
	return sum
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
	fmt.Println(sum.End, "with", sum.Pages, "pages; skipped:", sum.Rejected)
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
	// finished with 3 pages; skipped: map[disallowed:1]
	// / "Home" by start
	// /about "About us" by link
	// /listed "Nobody links here" by sitemap
	// /private/ disallowed by line 2, Disallow: /private/
}

// What is wrong with my configuration?
func ExampleConfig_Validate() {
	cfg := crawler.Default()
	cfg.URLs = []string{"example.com"}
	cfg.Limits.Concurrency = 0
	err := cfg.Validate()
	fmt.Println(errors.Is(err, crawler.ErrConfig))
	fmt.Println(err)
	// Output:
	// true
	// bad configuration: urls: "example.com" has no scheme; write it as https://example.com or http://example.com
	// bad configuration: concurrency: 0 is less than 1
}

// How fast is a crawl by default?
func ExampleDefault() {
	cfg := crawler.Default()
	fmt.Println("from the end of a request to a host to the start of the next:", cfg.Politeness.Delay)
	fmt.Println("upper limit for Crawl-delay:", cfg.Politeness.MaxCrawlDelay)
	fmt.Println("requests in flight on a host:", cfg.Politeness.PerHost)
	// Output:
	// from the end of a request to a host to the start of the next: 1s
	// upper limit for Crawl-delay: 30s
	// requests in flight on a host: 1
}

// What is the canonical form of a URL?
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

// How do I resume a crawl that was stopped or killed?
func ExampleLoadConfig() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a> <a href="/b">b</a>`, "/a": "a", "/b": "b"})
	defer done()
	cfg.Limits.MaxPages = 1

	sum := crawl(cfg, nil)
	fmt.Println(sum.End, sum.Pages, "page,", sum.Remaining, "remaining")

	saved, err := crawler.LoadConfig(cfg.Output.Dir) // the directory has the whole configuration
	if err != nil {
		fmt.Println(err)
		return
	}
	saved.Limits.MaxPages = 0 // the resumed crawl uses the new value
	sum = crawl(saved, &crawler.Options{Resume: true})
	fmt.Println(sum.End, sum.Pages, "pages,", sum.Remaining, "remaining")
	// Output:
	// max-pages 1 page, 2 remaining
	// finished 3 pages, 0 remaining
}

// How do I find what has changed since the last crawl? Unchanged pages are not sent again.
func ExampleOptions_recrawl() {
	version := "first"
	site, cfg, done := serve(func(w http.ResponseWriter, r *http.Request) {
		etag := map[string]string{"/": `"1"`, "/news": `"` + version + `"`}[r.URL.Path]
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", etag)
		switch {
		case etag == "":
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") == etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			fmt.Fprintf(w, `<title>The %s version</title><a href="/news">news</a>`, version)
		}
	})
	defer done()

	for _, opts := range []*crawler.Options{nil, {Recrawl: true}} {
		crawl(cfg, opts)
		for page, err := range output.Read[output.Page](cfg.Output.Dir) {
			if err == nil {
				fmt.Printf("%s %d %q unchanged: %v\n", strings.TrimPrefix(page.URL, site.URL), page.Status, page.Title, page.Unchanged)
			}
		}
		version = "second"
	}
	// Output:
	// / 200 "The first version" unchanged: false
	// /news 200 "The first version" unchanged: false
	// / 304 "The first version" unchanged: true
	// /news 200 "The second version" unchanged: false
}

// How do I pause a crawl, and read its status?
func ExampleCrawler_Pause() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	defer done()

	var c *crawler.Crawler
	c, err := crawler.New(cfg, &crawler.Options{OnStart: func() {
		c.Pause()
		time.AfterFunc(50*time.Millisecond, func() { // for example, when a user presses a button
			status, err := c.Status()
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("paused: %v, pages: %d, remaining: %d\n", status.Paused, status.Pages, status.Remaining)
			c.Resume()
		})
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := run(c)
	fmt.Printf("%s, pages: %d\n", sum.End, sum.Pages)
	// Output:
	// paused: true, pages: 0, remaining: 1
	// finished, pages: 2
}

// How do I stop a crawl early? Its requests in flight are finished, and it can be resumed.
// When the context of Run ends, the crawl stops in the same way with the end "interrupted".
func ExampleCrawler_Stop() {
	endDuring(func(c *crawler.Crawler) { c.Stop() })
	// Output: stopped, pages: 1, remaining: 2
}

// How do I abort a crawl at once? The URLs in flight remain, and a resumed crawl requests
// them again.
func ExampleCrawler_Abort() {
	endDuring(func(c *crawler.Crawler) { c.Abort() })
	// Output: interrupted, pages: 0, remaining: 1
}

// endDuring crawls a site that calls end while its first page is requested.
func endDuring(end func(c *crawler.Crawler)) {
	var c *crawler.Crawler
	_, cfg, done := serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			end(c)
			select {
			case <-r.Context().Done(): // the crawl has aborted the request
			case <-time.After(100 * time.Millisecond):
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href="/a">a</a> <a href="/b">b</a>`)
	})
	defer done()
	c, err := crawler.New(cfg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := run(c)
	fmt.Printf("%s, pages: %d, remaining: %d\n", sum.End, sum.Pages, sum.Remaining)
}

// How do I get the state of a host?
func ExampleCrawler_Host() {
	site, cfg, done := newSite(map[string]string{"/robots.txt": "User-agent: *\nDisallow:\n", "/": "home"})
	defer done()

	var c *crawler.Crawler
	c, err := crawler.New(cfg, &crawler.Options{OnStart: func() {
		name, _ := frontier.HostOf(site.URL)
		host, err := c.Host(context.Background(), name)
		fmt.Println("pending URLs:", host.Pending, "concurrent requests:", host.MaxInFlight, "delay:", host.Delay, err)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	run(c)
	// Output: pending URLs: 1 concurrent requests: 1 delay: 0s <nil>
}

// How do I write CSV in addition to JSON Lines?
func ExampleOptions_formats() {
	site, cfg, done := newSite(map[string]string{"/": `<title>Home</title><a href="/about">about</a>`, "/about": "<title>About us</title>"})
	defer done()
	cfg.Output.AlsoWrite = []string{"csv"} // one of Options.Formats

	crawl(cfg, &crawler.Options{Formats: []output.Format{csvout.Format(nil)}})
	table, err := os.ReadFile(filepath.Join(cfg.Output.Dir, csvout.LinksFile))
	fmt.Print(strings.NewReplacer(site.URL, "", "\r", "").Replace(string(table)))
	fmt.Println(err)
	// Output:
	// from,to,text,rel,kind
	// /,/about,,,
	// <nil>
}

// How do I keep a crawl in memory, or use my own frontier?
func ExampleOptions_frontier() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	defer done()

	f := frontier.NewMemory(&frontier.Options{Delay: cfg.Politeness.Delay, MaxInFlight: cfg.Politeness.PerHost})
	sum := crawl(cfg, &crawler.Options{Frontier: f}) // the crawl closes f
	_, err := os.Stat(filepath.Join(cfg.Output.Dir, "frontier"))
	fmt.Println(sum.Pages, "pages, and no frontier on disk:", os.IsNotExist(err))
	// Output: 2 pages, and no frontier on disk: true
}

// What would a crawl do, and how long would it take? A plan requests no page.
func ExampleNewPlanner() {
	_, cfg, done := newSite(map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.1\nSitemap: {site}/map.txt\n",
		"/map.txt":    "{site}/a\n{site}/b\n{site}/private/c\n{site}/private/d\n",
	})
	defer done()

	p, err := crawler.NewPlanner(cfg, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := p.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.URLs, "URLs are known,", plan.Pages, "of them would be fetched; bottleneck:", plan.Bottleneck)
	for _, rule := range plan.Disallowed {
		fmt.Println(rule.URLs, "by line", rule.Line, rule.Rule)
	}
	host := plan.Origins[0]
	fmt.Println(host.Requests, "requests, with a delay of", host.Delay)
	// Output:
	// 5 URLs are known, 3 of them would be fetched; bottleneck: host
	// 2 by line 2 Disallow: /private/
	// 5 requests, with a delay of 100ms
}

// How do several machines share a crawl?
func ExampleJoinConfig() {
	ctx := context.Background()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = []string{"https://example.com/"}, "example"
	cfg.Sharing.Frontier, cfg.Sharing.CrawlName = "redis://10.0.0.5:6379", "news"
	cfg, err := crawler.JoinConfig(ctx, cfg, nil)
	if err != nil && !errors.Is(err, redisstore.ErrNotFound) { // then this process creates the crawl
		log.Fatal(err)
	}
	c, err := crawler.New(cfg, nil)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := c.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Pages, "of", sum.Shared.Pages(), "pages by", sum.Shared.Worker)
}

// Is the record of what a site allowed still complete and unchanged, years after the crawl?
func ExampleVerifyPermissions() {
	site, cfg, done := newSite(map[string]string{
		"/robots.txt": "User-agent: *\nContent-Usage: train-ai=n\n",
		"/":           `<meta name=robots content=noarchive>`,
	})
	defer done()
	crawl(cfg, nil)
	file := filepath.Join(cfg.Output.Dir, "permissions.jsonl")
	text, _ := os.ReadFile(file)
	for _, record := range []string{string(text), strings.Replace(string(text), "noarchive", "noindex", 1)} {
		_ = os.WriteFile(file, []byte(record), 0o600)
		got, err := crawler.VerifyPermissions(cfg.Output.Dir, func(d crawler.PermissionDifference) error {
			fmt.Println(strings.TrimPrefix(d.URL, site.URL), d.Problem)
			return nil
		})
		fmt.Println(got.Lines, got.Differences, err)
	}
	// Output:
	// 1 0 <nil>
	// / meta robots: values is "archive: disallowed", but the text says "search: disallowed"
	// 1 1 <nil>
}

// What does a response say about the use of its content?
func ExamplePageUsage() {
	header := http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"noai"}}
	for _, s := range crawler.PageUsage(header, []byte(`<meta name=tdm-reservation content=1>`), "examplebot", time.Now()) {
		fmt.Println(s.Source, s.Values)
	}
	// Output:
	// header X-Robots-Tag map[ai-input:disallowed train-ai:disallowed]
	// meta tdm-reservation map[tdm:disallowed train-ai:disallowed]
}
