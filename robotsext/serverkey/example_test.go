package serverkey_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

// Which URLs share a limit, such as the delay between two requests?
func ExampleOf() {
	for _, authority := range []string{"Example.com", "example.com.", "example.com:443", "example.com:8443", "[::ffff:192.0.2.1]:80"} {
		fmt.Println(serverkey.Of(authority))
	}
	// Output:
	// example.com
	// example.com
	// example.com
	// example.com:8443
	// 192.0.2.1
}
