package errtext_test

import (
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/errtext"
)

// What does somebody read of an error who does not know the packages?
func ExampleOf() {
	full := errors.New("sqlite: disk is full")
	err := fmt.Errorf("crawler: write sqlite: %w", full)
	fmt.Println(err)
	fmt.Println(errtext.Of(err))
	// Output:
	// crawler: write sqlite: sqlite: disk is full
	// write sqlite: disk is full
}

// And of one that is a text already, as in robots.jsonl?
func ExamplePlain() {
	fmt.Println(errtext.Plain("robotsext: waiting for the turn of http://example.com: guard: 10.0.0.1 is private"))
	// Output: waiting for the turn of http://example.com: 10.0.0.1 is private
}
