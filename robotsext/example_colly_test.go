package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Are redirects and HEAD requests checked too?
func ExampleRobots_Attach() {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n") })
	mux.Handle("/moved", http.RedirectHandler("/private/here", http.StatusFound))
	mux.HandleFunc("/private/", func(http.ResponseWriter, *http.Request) {
		fmt.Println("the site received a request for a private page")
	})
	site := httptest.NewServer(mux)
	defer site.Close()

	robots := examplebot(nil)
	c := colly.NewCollector()
	robots.Attach(c)
	for _, err := range []error{c.Visit(site.URL + "/moved"), c.Head(site.URL + "/private/there"), c.Clone().Visit(site.URL + "/private/too")} {
		var blocked *robotsext.BlockedError
		if errors.As(err, &blocked) {
			fmt.Println(strings.TrimPrefix(blocked.URL, site.URL), blocked.Reason)
		}
	}
	// Output:
	// /private/here disallowed
	// /private/there disallowed
	// /private/too disallowed
}

// How does my collector obey the Crawl-delay of a site?
func ExampleRobots_ObeyCrawlDelay() {
	site := exampleSite("User-agent: *\nCrawl-delay: 0.1\n")
	defer site.Close()
	robots := examplebot(nil)
	c := colly.NewCollector()
	robots.Attach(c)
	robots.ObeyCrawlDelay(c, 10*time.Second) // at most 10 s, even if the site asks for more

	start := time.Now()
	fmt.Println(c.Visit(site.URL+"/1"), c.Visit(site.URL+"/2"), c.Visit(site.URL+"/3"))
	fmt.Println(time.Since(start) >= 200*time.Millisecond)
	// Output:
	// <nil> <nil> <nil>
	// true
}

// How does OnError receive URLs of a site whose robots.txt is unreachable?
func ExampleOptions_reportInOnError() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
	}))
	defer site.Close()
	robots := examplebot(&robotsext.Options{ReportInOnError: true})
	c := colly.NewCollector(robots.Attach, colly.Async(true))
	c.OnError(func(r *colly.Response, err error) {
		var blocked *robotsext.BlockedError
		if errors.As(err, &blocked) && blocked.Reason == robotsext.Later {
			fmt.Println(r.Request.URL.Path, "later:", blocked.RetryAt.After(time.Now())) // retry it then with r.Request.Retry
		}
	})
	err := c.Visit(site.URL + "/page") // without ReportInOnError, Visit returns the error, which colly's queue drops
	c.Wait()
	fmt.Println(err)
	// Output:
	// /page later: true
	// <nil>
}

// How do I prevent a site from redirecting my collector into my own network?
func ExampleOptions_guard() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/robots.txt" {
			http.NotFound(w, req)
			return
		}
		http.Redirect(w, req, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	}))
	defer site.Close()
	robots := examplebot(&robotsext.Options{
		Guard: guard.New(netip.MustParsePrefix("127.0.0.0/8")), // where the site of this example is
	})
	c := colly.NewCollector()
	robots.Attach(c)
	err := c.Visit(site.URL + "/page")
	fmt.Println(errors.Is(err, guard.ErrRefused))
	var refused *guard.AddressError
	if errors.As(err, &refused) {
		fmt.Println(refused)
	}
	// Output:
	// true
	// address 169.254.169.254 is not allowed (cloud metadata)
}

// How does my collector skip pages that must not be used to train models?
func ExampleRobots_Permit_colly() {
	site := exampleSite("User-agent: *\nContent-Usage: /articles/ train-ai=n\n")
	defer site.Close()
	robots := examplebot(nil)
	c := colly.NewCollector()
	robots.Attach(c)
	permit := func(u *url.URL) error { return robots.Permit(context.Background(), u, usage.TrainAI) }
	c.OnRequest(func(r *colly.Request) {
		if err := permit(r.URL); err != nil {
			fmt.Println(r.URL.Path, errors.Is(err, colly.ErrRobotsTxtBlocked))
			r.Abort()
		}
	})
	c.SetRedirectHandler(func(req *http.Request, _ []*http.Request) error { return permit(req.URL) })
	c.OnResponse(func(r *colly.Response) {
		own := usage.FromHeader(*r.Headers, robots.Tokens(), time.Now()) // the page itself may disallow it too
		fmt.Println(r.Request.URL.Path, usage.Merge(own)[usage.TrainAI].Value)
	})
	for _, path := range []string{"/articles/1", "/"} {
		_ = c.Visit(site.URL + path)
	}
	// Output:
	// /articles/1 true
	// / unknown
}

// How does my collector crawl a site of my own that disallows all crawlers, and obey robots.txt elsewhere?
func ExampleOptions_exempt() {
	own := exampleSite("User-agent: *\nDisallow: /\n")
	defer own.Close()
	other := exampleSite("User-agent: *\nDisallow: /private/\n")
	defer other.Close()
	robots := examplebot(&robotsext.Options{
		Exempt: func(o robotsext.Origin) bool { return string(o) == own.URL }, // such as "https://staging.example.com"
	})
	c := colly.NewCollector(robots.Attach)
	fmt.Println(c.Visit(own.URL + "/private/"))
	fmt.Println(errors.Is(c.Visit(other.URL+"/private/"), colly.ErrRobotsTxtBlocked))
	// Output:
	// <nil>
	// true
}
