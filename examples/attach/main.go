// How do I make my colly collector obey robots.txt? Add one line, as in this example. It fetches
// the page at its argument, or one of a local site, and its first links.
package main

import (
	"errors"
	"log"
	"os"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	site := newSite()
	defer site.Close()
	if err := run(append(os.Args[1:], site.URL)[0]); err != nil {
		log.Print(err)
	}
}

func run(start string) error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		return err
	}
	c := colly.NewCollector(colly.MaxRequests(5))
	robots.Attach(c) // the one line, the last of the set-up
	c.OnResponse(func(r *colly.Response) { log.Println("fetched", r.Request.URL) })
	c.OnHTML("a[href]", func(a *colly.HTMLElement) {
		var blocked *robotsext.BlockedError
		if errors.As(a.Request.Visit(a.Attr("href")), &blocked) {
			log.Println(blocked.Reason, blocked)
		}
	})
	return c.Visit(start)
}
