package params_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Which URLs are the same page?
func ExampleRules_Clean() {
	rules, err := params.New([]string{"utm_*"})
	if err != nil {
		fmt.Println(err)
		return
	}
	file := robotstxt.Parse([]byte("Clean-param: ref /books/"), nil)
	fmt.Println(rules.Clean("https://shop.example/books/?id=7&utm_source=mail&ref=home", file))
	fmt.Println(rules.Clean("https://shop.example/music/?id=7&utm_source=mail&ref=home", file))
	// Output:
	// https://shop.example/books/?id=7
	// https://shop.example/music/?id=7&ref=home
}

// Which parameter names are valid?
func ExampleNew() {
	for _, name := range []string{"sid", "utm_*", "*_id*", "a*b"} {
		_, err := params.New([]string{name})
		fmt.Println(name, err)
	}
	// Output:
	// sid <nil>
	// utm_* <nil>
	// *_id* <nil>
	// a*b "a*b" has a * inside; use * only at the beginning or the end
}
