package pebblestore_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
)

// How is a directory kept to one process whose frontier is elsewhere?
func ExampleLock() {
	dir, err := os.MkdirTemp("", "locked")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lock, err := pebblestore.Lock(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = pebblestore.Lock(dir)
	fmt.Println("a second:", errors.Is(err, pebblestore.ErrInUse))
	if err := lock.Close(); err != nil {
		fmt.Println(err)
	}
	again, err := pebblestore.Lock(dir)
	fmt.Println("after the first:", err)
	_ = again.Close()
	// Output:
	// a second: true
	// after the first: <nil>
}
