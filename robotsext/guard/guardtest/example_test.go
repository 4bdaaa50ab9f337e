package guardtest_test

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// How do I simulate a name whose address changes from one lookup to the next?
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
