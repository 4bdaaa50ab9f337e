// Program swaps sets transports and clients of a collector while its asynchronous requests, and
// those of a clone, are in flight. It prints how many pages its site has served. Setting them
// then is a data race in colly itself; TestSwapsDuringAsyncRequests builds it without the race
// detector. All transports are of one type, and none is set on a client that has none, so that a
// half-written interface does no harm in net/http.
package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// visits is the number of disallowed URLs that are visited.
const visits = 60_000

func main() {
	var allowed, disallowed atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch {
		case req.URL.Path == "/robots.txt":
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private/\n")
		case strings.HasPrefix(req.URL.Path, "/private/"):
			disallowed.Add(1)
		case strings.HasPrefix(req.URL.Path, "/to/"):
			http.Redirect(w, req, "/private/target", http.StatusFound)
		default:
			allowed.Add(1)
		}
	}))
	defer site.Close()
	robots, err := robotsext.New("examplebot/1.0", &robotsext.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	c := colly.NewCollector(colly.Async(true), robots.Attach)
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 8}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	clone := c.Clone()
	transports := []*http.Transport{{}, {}, {}}
	for i := range visits {
		t := transports[i%len(transports)]
		switch i % 7 {
		case 0, 1, 2, 3:
			c.WithTransport(t)
		case 4, 6:
			c.SetClient(&http.Client{Transport: t})
		case 5:
			c.SetClient(&http.Client{})
		}
		_ = c.Visit(fmt.Sprint(site.URL, "/private/", i))
		switch i % 16 {
		case 3:
			_ = c.Visit(fmt.Sprint(site.URL, "/a/", i))
		case 7:
			_ = c.Visit(fmt.Sprint(site.URL, "/to/", i))
		case 11:
			_ = clone.Visit(fmt.Sprint(site.URL, "/private/clone/", i))
		case 15:
			_ = clone.Visit(fmt.Sprint(site.URL, "/to/clone/", i))
		}
	}
	c.Wait()
	clone.Wait()
	fmt.Printf("disallowed %d, allowed %d\n", disallowed.Load(), allowed.Load())
}
