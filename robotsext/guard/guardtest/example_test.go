package guardtest_test

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// How do I get a name that changes its address from one question to the next?
func ExampleResolver() {
	r := guardtest.Resolver(netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("127.0.0.1"))
	for range 3 {
		addrs, err := r.LookupNetIP(context.Background(), "ip4", "rebind.example")
		fmt.Println(addrs, err)
	}
	// Output:
	// [93.184.215.14] <nil>
	// [127.0.0.1] <nil>
	// [127.0.0.1] <nil>
}
