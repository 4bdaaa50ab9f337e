package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// How does an ordinary HTTP client obey robots.txt?
func ExampleRobots_Transport() {
	site := exampleSite("User-agent: *\nDisallow: /private/\n")
	defer site.Close()
	robots := examplebot(nil)
	client := &http.Client{Transport: robots.Transport(nil)}
	defer client.CloseIdleConnections()

	for _, path := range []string{"/public/", "/private/"} {
		resp, err := client.Get(site.URL + path)
		var blocked *robotsext.BlockedError
		if errors.As(err, &blocked) {
			fmt.Println(path, blocked.Reason)
		} else if err == nil {
			resp.Body.Close()
			fmt.Println(path, resp.Status)
		}
	}
	// Output:
	// /public/ 200 OK
	// /private/ disallowed
}

// May I fetch this URL? Three verdicts, and an error.
func ExampleRobots_Check() {
	site := exampleSite("User-agent: *\nDisallow: /private/\n")
	down := exampleSite("") // no server listens there
	down.Close()
	defer site.Close()
	robots := examplebot(nil)
	defer robots.CloseIdleConnections()
	for _, raw := range []string{site.URL + "/", site.URL + "/private/", down.URL + "/", "gopher://example.com/"} {
		u, _ := url.Parse(raw)
		err := robots.Check(context.Background(), u)
		var blocked *robotsext.BlockedError
		switch {
		case err == nil:
			fmt.Println("fetch it")
		case !errors.As(err, &blocked):
			fmt.Println(err)
		case blocked.Reason == robotsext.Disallowed:
			fmt.Println("skip it because of line", blocked.Rule.Line)
		case blocked.Reason == robotsext.Later:
			fmt.Println("retry in a minute:", time.Until(blocked.RetryAt).Round(time.Minute) == time.Minute)
		}
	}
	// Output:
	// fetch it
	// skip it because of line 2
	// retry in a minute: true
	// unsupported scheme "gopher"
}

// How do I fetch a page that a person has requested? robots.txt does not apply to it.
func ExampleWithUserFetch() {
	site := exampleSite("User-agent: *\nDisallow: /\n")
	defer site.Close()
	robots := examplebot(nil)
	u, _ := url.Parse(site.URL + "/page-to-translate")
	ctx := context.Background()
	fmt.Println(robots.Check(ctx, u) == nil)
	fmt.Println(robots.Check(robotsext.WithUserFetch(ctx), u) == nil)
	// Output:
	// false
	// true
}
