//go:build ignore

// Program without is light without the line.
package main

import (
	"log"

	"github.com/gocolly/colly/v2"
)

func main() {
	c := colly.NewCollector()
	log.Print(c.Visit("http://127.0.0.1:1/"))
}
