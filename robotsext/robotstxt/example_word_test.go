package robotstxt_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Are these the same path?
func ExampleCanonical() {
	for _, path := range []string{"/a%7Eb", "/a~b", "/café", "/a/../b", "/a%2fb"} {
		fmt.Println(path, "→", robotstxt.Canonical(path))
	}
	// Output:
	// /a%7Eb → /a~b
	// /a~b → /a~b
	// /café → /caf%C3%A9
	// /a/../b → /b
	// /a%2fb → /a%2Fb
}

// Which length decides the precedence of a rule?
func ExampleCanonicalPattern() {
	for _, pattern := range []string{"/café", "/*.pdf$", "/a$b"} {
		canonical, length := robotstxt.CanonicalPattern(pattern)
		fmt.Println(canonical, length)
	}
	// Output:
	// /caf%C3%A9 10
	// /*.pdf$ 7
	// /a%24b 4
}

// Is this name valid as a product token?
func ExampleValidToken() {
	for _, name := range []string{"ExampleBot", "MJ12bot", "Example Bot"} {
		fmt.Println(name, robotstxt.ValidToken(name))
	}
	// Output:
	// ExampleBot true
	// MJ12bot false
	// Example Bot false
}

// Which product tokens let a crawler fall back to the group of a shorter name?
func ExampleWithParents() {
	fmt.Println(robotstxt.WithParents("Googlebot-Image"))
	// Output: [Googlebot-Image Googlebot]
}
