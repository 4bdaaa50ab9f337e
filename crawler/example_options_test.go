package crawler_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
)

// How does a crawl write CSV beside its lines of JSON?
func ExampleOptions_formats() {
	site, cfg, done := newSite(map[string]string{"/": `<title>Home</title><a href="/about">about</a>`, "/about": "<title>About us</title>"})
	defer done()
	cfg.Output.Write = []string{"csv"} // of the formats that there are, this one

	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{csvout.Format(nil)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	table, err := os.ReadFile(filepath.Join(cfg.Output.Dir, csvout.LinksFile))
	fmt.Print(strings.NewReplacer(site.URL, "", "\r", "").Replace(string(table)))
	fmt.Println(err)
	// Output:
	// from,to
	// /,/about
	// <nil>
}

// How is a crawl kept in memory, with a frontier of one's own?
func ExampleOptions_frontier() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	defer done()

	f := frontier.NewMemory(&frontier.Options{Delay: cfg.Politeness.Delay, MaxInFlight: cfg.Politeness.PerHost})
	c, err := crawler.New(cfg, &crawler.Options{Frontier: f}) // which closes it
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := c.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = os.Stat(filepath.Join(cfg.Output.Dir, "frontier"))
	fmt.Println(sum.Pages, "pages, and no frontier on disk:", os.IsNotExist(err))
	// Output: 2 pages, and no frontier on disk: true
}

// What would a crawl do, and how long would it take? No page is asked for.
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
	fmt.Println(plan.URLs, "URLs are known,", plan.Pages, "of them would be fetched; bound by the", plan.Bound)
	for _, rule := range plan.Disallowed {
		fmt.Println(rule.URLs, "by line", rule.Line, rule.Rule)
	}
	host := plan.Hosts[0]
	fmt.Println(host.Requests, "requests, with a delay of", host.Delay)
	// Output:
	// 5 URLs are known, 3 of them would be fetched; bound by the host
	// 2 by line 2 Disallow: /private/
	// 5 requests, with a delay of 100ms
}
