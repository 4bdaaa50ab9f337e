package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// How is a crawl held for a while, and watched?
func ExampleCrawler_Pause() {
	_, cfg, done := newSite(map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	defer done()

	var c *crawler.Crawler
	c, err := crawler.New(cfg, &crawler.Options{Begun: func() {
		c.Pause()
		time.AfterFunc(50*time.Millisecond, func() { // a person has pressed a button
			status, err := c.Status()
			if err != nil {
				fmt.Println(err)
			}
			fmt.Printf("paused: %v, pages: %d, left: %d\n", status.Paused, status.Pages, status.Left)
			c.Continue()
		})
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := c.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, pages: %d\n", sum.End, sum.Pages)
	// Output:
	// paused: true, pages: 0, left: 1
	// finished, pages: 2
}

// How is a crawl ended before its time? What is in flight is finished first, and the
// crawl can be resumed; the end of Run's context does the same.
func ExampleCrawler_Stop() {
	endDuring(func(c *crawler.Crawler) { c.Stop() })
	// Output: interrupted, pages: 1, left: 2
}

// And at once? Then what was in flight is among the URLs that are left.
func ExampleCrawler_Abort() {
	endDuring(func(c *crawler.Crawler) { c.Abort() })
	// Output: interrupted, pages: 0, left: 1
}

// endDuring crawls a site that calls end while it is asked for its first page.
func endDuring(end func(c *crawler.Crawler)) {
	var c *crawler.Crawler
	_, cfg, done := serve(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			end(c)
			select {
			case <-r.Context().Done(): // the request is broken off
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
	sum, err := c.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, pages: %d, left: %d\n", sum.End, sum.Pages, sum.Left)
}

// What does a crawl know of a host?
func ExampleCrawler_Host() {
	site, cfg, done := newSite(map[string]string{"/robots.txt": "User-agent: *\nDisallow:\n", "/": "home"})
	defer done()

	var c *crawler.Crawler
	c, err := crawler.New(cfg, &crawler.Options{Begun: func() {
		name, _ := frontier.HostOf(site.URL)
		host, err := c.Host(context.Background(), name)
		fmt.Println("URLs that wait:", host.Pending, "at a time:", host.MaxInFlight, "delay:", host.Delay, err)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.Run(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: URLs that wait: 1 at a time: 1 delay: 0s <nil>
}
