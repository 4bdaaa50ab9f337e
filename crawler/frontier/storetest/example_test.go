package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// How does a child process of a check run? The check starts the test binary again, which calls
// Child with its standard input and output.
func ExampleChild() {
	location, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(location) }()
	store := storetest.Store{Open: func(location string) (frontier.Frontier, error) { return logstore.Open(location, nil) }}

	var out strings.Builder
	err = storetest.Child(store, location, strings.NewReader("open -\n"), &out) // the task from the check
	fmt.Print(out.String())
	fmt.Println(err)
	// Output:
	// opened
	// <nil>
}

// Which methods of a closed store do not return ErrClosed?
func ExampleCalls() {
	store := frontier.NewMemory(nil)
	fmt.Println(store.Close())
	for name, call := range storetest.Calls(store) {
		if err := call(context.Background()); !errors.Is(err, frontier.ErrClosed) {
			fmt.Println(name, err)
		}
	}
	// Output: <nil>
}
