package robotsext_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// BenchmarkVisit measures a visit of a page of 4 KB on loopback: by colly without a check, by
// colly with its own check, and by an attached collector.
func BenchmarkVisit(b *testing.B) {
	page := []byte("<html><body>" + strings.Repeat("x", 4<<10) + "</body></html>")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte(typical()))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	defer site.Close()
	for _, kind := range []string{"unchecked", "colly", "attached"} {
		b.Run(kind, func(b *testing.B) {
			c := colly.NewCollector(colly.AllowURLRevisit())
			switch kind {
			case "colly":
				c.IgnoreRobotsTxt = false
			case "attached":
				r, err := robotsext.New(agent, nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Attach(c)
			}
			pages := 0
			c.OnResponse(func(*colly.Response) { pages++ })
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Visit(fmt.Sprint(site.URL, "/page/", n)); err != nil {
					b.Fatal(err)
				}
				n++
			}
			if pages != n {
				b.Fatalf("received %d of %d pages", pages, n)
			}
		})
	}
}
