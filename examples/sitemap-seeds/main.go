// Command sitemap-seeds scrapes the pages that a site lists in its sitemaps: no
// link is followed. Without an argument it does so with a site of its own.
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
	if len(os.Args) > 1 {
		scrape(os.Args[1])
		return
	}
	site, err := demosite.Start(nil)
	if err != nil {
		log.Fatal(err)
	}
	scrape(site.Origin("library"))
	_ = site.Close()
}

func scrape(site string) {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		log.Fatal(err)
	}
	c := colly.NewCollector(robots.Attach)
	c.OnHTML("title", func(e *colly.HTMLElement) { fmt.Println(e.Request.URL, e.Text) })

	u, err := url.Parse(site)
	if err != nil {
		log.Fatal(err)
	}
	for entry, err := range robots.Sitemaps(context.Background(), u) {
		if err != nil {
			log.Print(err) // one file could not be read; the others go on
			continue
		}
		if err := c.Visit(entry.Loc); err != nil {
			log.Print(err) // disallowed, say, with the line that says so
		}
	}
}
