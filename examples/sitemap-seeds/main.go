// How do I scrape the pages that a site lists in its sitemaps, and follow no links? The
// argument of sitemap-seeds is the site; without one it serves a local site.
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
	robots.ObeyCrawlDelay(c, 0) // pages and sitemaps, at the site's Crawl-delay
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
			log.Print(err) // one file, or one page: the others go on
		}
	}
	return nil
}
