package robotstxttest_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// How do I test that a crawler obeys robots.txt? Check each URL that the test server received,
// with code that the crawler does not use.
func ExampleAllowed() {
	robots := []byte("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
	for _, url := range []string{"https://example.com/search/about", "https://example.com/search?q=x"} {
		fmt.Println(robotstxttest.Allowed(robots, []string{"examplebot"}, url), url)
	}
	// Output:
	// true https://example.com/search/about
	// false https://example.com/search?q=x
}
