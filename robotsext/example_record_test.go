package robotsext_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync/atomic"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotsdiff"
)

// How do I notice that a site has changed its robots.txt?
func ExampleOptions_onChange() {
	var text atomic.Value // the current robots.txt
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text.Load()) }))
	defer site.Close()
	robots := examplebot(&robotsext.Options{
		OnChange: func(before, after *robotsext.Record) {
			for _, d := range robotsdiff.Compare(before.File, after.File, nil).Agents { // both have rules here
				for _, c := range d.Changes {
					fmt.Println(d.Agents, c.Pattern, "allowed:", c.Old.Allowed, "→", c.New.Allowed, "except", c.Except)
				}
			}
		},
	})
	u, _ := url.Parse(site.URL)
	for _, body := range []string{
		"User-agent: *\nDisallow: /private/\n",
		"# tidied up\nuser-agent: *\ndisallow: /private/\n", // no change of meaning
		"User-agent: *\nDisallow: /\n",
	} {
		text.Store(body)
		if _, err := robots.Refresh(context.Background(), u); err != nil { // Record would use the cached record until it expires
			fmt.Println(err)
		}
	}
	// Output:
	// [*] / allowed: true → false except [/private/]
}

// How does my program keep its records across restarts?
func ExampleNewFileCache() {
	var fetches atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetches.Add(1) }))
	defer site.Close()
	dir, err := os.MkdirTemp("", "robots")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	for range 2 { // two runs of a program
		cache, err := robotsext.NewFileCache(dir)
		if err != nil {
			fmt.Println(err)
			return
		}
		robots := examplebot(&robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}})
		u, _ := url.Parse(site.URL + "/page")
		fmt.Println(robots.Check(context.Background(), u))
		robots.CloseIdleConnections()
	}
	fmt.Println("robots.txt was fetched", fetches.Load(), "time")
	// Output:
	// <nil>
	// <nil>
	// robots.txt was fetched 1 time
}

// How do two crawlers of one program share records? A record has all groups of a file, and
// each crawler uses its own.
func ExampleNewMemoryCache() {
	var fetches atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		fmt.Fprint(w, "User-agent: imagebot\nDisallow: /\n")
	}))
	defer site.Close()
	u, _ := url.Parse(site.URL + "/photo.jpg")
	cache := robotsext.NewMemoryCache(0, 0)
	for _, name := range []string{"textbot/1.0", "imagebot/1.0"} {
		robots, err := robotsext.New(name, &robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, robots.Check(context.Background(), u) == nil)
		robots.CloseIdleConnections()
	}
	fmt.Println("robots.txt was fetched", fetches.Load(), "time")
	// Output:
	// textbot/1.0 true
	// imagebot/1.0 false
	// robots.txt was fetched 1 time
}

// What does the record say about a site without robots.txt, or an unreachable one?
func ExampleRobots_Record() {
	for _, status := range []int{http.StatusOK, http.StatusNotFound, http.StatusForbidden, http.StatusBadGateway} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		robots := examplebot(nil)
		u, _ := url.Parse(site.URL)
		rec, err := robots.Record(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Status, rec.Outcome, rec.Err)
		robots.CloseIdleConnections()
		site.Close()
	}
	// Output:
	// 200 rules <nil>
	// 404 allow-all <nil>
	// 403 allow-all <nil>
	// 502 unreachable status 502
}
