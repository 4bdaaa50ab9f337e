package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// Does my store keep the contract of a frontier? This is all that its tests need. The
// store here, frontier.Memory, lives in the process, so that time may pass by itself
// (Bubble), and has no place where it could be opened again.
func TestMyStore(t *testing.T) {
	storetest.Run(t, storetest.Store{
		Open:   func(string) (frontier.Frontier, error) { return frontier.NewMemory(nil), nil },
		Synctest: synctest.Test,
	})
}

// How does a check take part that needs another process, to kill it? The test binary is
// started again, and calls Child with its standard input and output.
func ExampleChild() {
	place, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(place) }()
	store := storetest.Store{Open: func(place string) (frontier.Frontier, error) { return pebblestore.Open(place, nil) }}

	var out strings.Builder
	err = storetest.Child(store, place, strings.NewReader("open -\n"), &out) // what the check sends
	fmt.Print(out.String())
	fmt.Println(err)
	// Output:
	// opened
	// <nil>
}

// Does a store that is closed refuse everything?
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
