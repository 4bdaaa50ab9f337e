package robotsext_test

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Which robots.txt applies to a URL? The file of its scheme, host and port.
func ExampleOriginOf() {
	for _, raw := range []string{
		"https://Example.com:443/a?b", "http://example.com/", "http://example.com:8080/", "https://bücher.example/", "https://[::1%25eth0]/",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		origin, err := robotsext.OriginOf(u)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(origin.RobotsURL())
	}
	// Output:
	// https://example.com/robots.txt
	// http://example.com/robots.txt
	// http://example.com:8080/robots.txt
	// https://xn--bcher-kva.example/robots.txt
	// invalid host "[::1%eth0]": an address zone means nothing to other machines
}

// How does a server read a URL with dot segments? A client with its own transport should
// check and send the clean form.
func ExampleCleanURL() {
	for _, raw := range []string{"https://example.com/public/../private/", "https://example.com/%2e%2e/a//b", "mailto:jane@example.com"} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(robotsext.CleanURL(u))
	}
	// Output:
	// https://example.com/private/ <nil>
	// https://example.com/a//b <nil>
	// <nil> request cannot be checked against robots.txt: mailto:jane@example.com
}

// How long should I wait after a response with Retry-After?
func ExampleRetryAfter() {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for _, value := range []string{"120", "Sun, 01 Mar 2026 12:30:00 GMT", "soon"} {
		fmt.Println(robotsext.RetryAfter(http.Header{"Retry-After": {value}}, now))
	}
	// Output:
	// 2m0s
	// 30m0s
	// 0s
}

// May this response be written to disk?
func ExampleNoStore() {
	for _, value := range []string{"max-age=600", "private, No-Store", `private="no-store"`} {
		fmt.Println(robotsext.NoStore(http.Header{"Cache-Control": {value}}), value)
	}
	// Output:
	// false max-age=600
	// true private, No-Store
	// false private="no-store"
}
