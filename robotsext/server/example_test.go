package server_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/server"
)

// Which of these share a delay, and the requests in flight?
func ExampleName() {
	for _, authority := range []string{"Example.com", "example.com.", "example.com:443", "example.com:8443", "[::ffff:192.0.2.1]:80"} {
		fmt.Println(server.Name(authority))
	}
	// Output:
	// example.com
	// example.com
	// example.com
	// example.com:8443
	// 192.0.2.1
}
