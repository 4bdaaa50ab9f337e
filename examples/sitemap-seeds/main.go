// How do I scrape the pages in the sitemaps of a site, without following links? The argument of
// sitemap-seeds is the site. Without an argument it serves a local site.
package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	demo, err := demosite.Start(nil)
	if err == nil {
		err = scrape(append(os.Args[1:], demo.Origin("sitemaps"))[0], nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func scrape(site string, opts *robotsext.Options) error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", opts)
	if err != nil {
		return err
	}
	c := colly.NewCollector(robots.Attach)
	robots.ObeyCrawlDelay(c, 0) // for pages and sitemaps
	c.OnHTML("title", func(e *colly.HTMLElement) { fmt.Println(e.Request.URL, e.Text) })
	start, err := url.Parse(site)
	if err != nil {
		return err
	}
	for page, err := range robots.Sitemaps(context.Background(), start) {
		if err == nil {
			err = c.Visit(page.Loc)
		}
		if err != nil {
			log.Print(err) // all others are still fetched
		}
	}
	return nil
}
