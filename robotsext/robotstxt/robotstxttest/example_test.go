package robotstxttest_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// Did a crawler do right? A test asks here, with what the site saw, and not the
// code that the crawler itself has asked.
func ExampleAllowed() {
	robots := []byte("User-agent: *\nDisallow: /search\nAllow: /search/about\n")
	for _, url := range []string{"https://example.com/search/about", "https://example.com/search?q=x"} {
		fmt.Println(robotstxttest.Allowed(robots, []string{"examplebot"}, url), url)
	}
	// Output:
	// true https://example.com/search/about
	// false https://example.com/search?q=x
}
