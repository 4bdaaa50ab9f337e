package robotsdiff_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotsdiff"
)

// What changes if a slash is missing?
func ExampleCompare() {
	before := robotstxt.Parse([]byte("User-agent: *\nDisallow: /cart/\nAllow: /search/help\nDisallow: /search\n"), nil)
	after := robotstxt.Parse([]byte("User-agent: *\nDisallow: /search\nAllow: /search/help\nDisallow: /cart\n"), nil)

	for _, d := range robotsdiff.Compare(before, after, nil).Agents {
		for _, c := range d.Changes {
			fmt.Printf("for %v %s is now %v, by %v in line %v; except %v\n", d.Agents, c.Pattern, allowed(c.New), c.New.Rule, c.New.Lines, c.Except)
		}
	}
	// Output:
	// for [*] /cart is now disallowed, by Disallow: /cart in line [4]; except [/cart/]
}

// Does a file still have the same meaning after a cleanup?
func ExampleDiff_Changed() {
	before := robotstxt.Parse([]byte("user-agent: a\ndisallow: /x\n\nuser-agent: b\ndisallow: /x\n"), nil)
	after := robotstxt.Parse([]byte("User-agent: a\nUser-agent: b\nDisallow: /x # nothing to see\n"), nil)
	diff := robotsdiff.Compare(before, after, nil)
	fmt.Println(diff.Changed(), diff.Complete)
	// Output: false true
}

func allowed(d robotsdiff.Decision) string {
	if d.Allowed {
		return "allowed"
	}
	return "disallowed"
}
