package headerlist_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

// Which challenges does a site send?
func ExampleElements() {
	for element := range headerlist.Elements(`Basic realm="a, b", License error="expired"`) {
		fmt.Println(element)
	}
	// Output:
	// Basic realm="a, b"
	// License error="expired"
}

// What does a parameter say?
func ExampleCutQuoted() {
	text, rest := headerlist.CutQuoted(`"only \"humans\""; q=1`)
	fmt.Println(text)
	fmt.Println(rest)
	// Output:
	// only "humans"
	// ; q=1
}
