package record_test

import (
	"fmt"
	"net/url"

	"github.com/politecrawl/politecrawl/robotsext/record"
)

// Do two URLs have the same robots.txt? They do if scheme, host and port are the same.
func ExampleOriginOf() {
	for _, raw := range []string{"https://example.com/a", "https://EXAMPLE.com:443/b", "http://example.com/a"} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(record.OriginOf(u))
	}
	// Output:
	// https://example.com <nil>
	// https://example.com <nil>
	// http://example.com <nil>
}
