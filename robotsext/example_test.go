package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// exampleSite serves a robots.txt on loopback, so that the examples run anywhere.
func exampleSite(robots string) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, robots) })
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	return httptest.NewServer(mux)
}

// examplebot returns a Robots for a crawler named examplebot.
func examplebot(opts *robotsext.Options) *robotsext.Robots {
	robots, err := robotsext.New("examplebot/1.0", opts)
	if err != nil {
		panic(err)
	}
	return robots
}

// How do I make my collector obey robots.txt?
func Example_colly() {
	site := exampleSite("User-agent: *\nDisallow: /private/\n")
	defer site.Close()
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	c := colly.NewCollector()
	robots.Attach(c) // the only change

	fmt.Println(c.Visit(site.URL + "/public/"))
	fmt.Println(errors.Is(c.Visit(site.URL+"/private/"), colly.ErrRobotsTxtBlocked))
	// Output:
	// <nil>
	// true
}

// May I fetch this URL, and if not, which line disallows it?
func Example_whyDisallowed() {
	site := exampleSite("User-agent: examplebot\nDisallow: /private/\nAllow: /private/press/\n")
	defer site.Close()
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/private/press/2026", "/private/diary"} {
		u, _ := url.Parse(site.URL + path)
		err := robots.Check(context.Background(), u)
		var blocked *robotsext.BlockedError
		if errors.As(err, &blocked) {
			fmt.Printf("%s is %s by line %d, %s\n", path, blocked.Reason, blocked.Rule.Line, blocked.Rule)
			continue
		}
		fmt.Println(path, err)
	}
	// Output:
	// /private/press/2026 <nil>
	// /private/diary is disallowed by line 2, Disallow: /private/
}

// Which crawl delay and sitemaps does a robots.txt declare?
func Example_crawlDelayAndSitemaps() {
	site := exampleSite("Sitemap: https://www.example.com/sitemap.xml\nUser-agent: *\nCrawl-delay: 2\n")
	defer site.Close()
	robots := examplebot(nil)
	u, _ := url.Parse(site.URL)
	rec, err := robots.Record(context.Background(), u)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rec.Outcome, rec.Status, strings.TrimPrefix(rec.RedirectChain[0], site.URL))
	fmt.Println(robots.Group(rec).CrawlDelay(), rec.File.Sitemaps[0].URL)
	// Output:
	// rules 200 /robots.txt
	// 2s https://www.example.com/sitemap.xml
}
