// Program light is a colly program with the one line.
package main

import (
	"log"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	robots, err := robotsext.New("examplebot/1.0", nil)
	if err != nil {
		log.Fatal(err)
	}
	c := colly.NewCollector(robots.Attach)
	log.Print(c.Visit("http://127.0.0.1:1/"))
}
