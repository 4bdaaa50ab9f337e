package logstore_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
)

// How does a program lock a directory without a store?
func ExampleLock() {
	dir, err := os.MkdirTemp("", "locked")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	lock, err := logstore.Lock(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = logstore.Lock(dir)
	fmt.Println("second lock is refused:", errors.Is(err, logstore.ErrInUse))
	if err := lock.Close(); err != nil {
		fmt.Println(err)
	}
	again, err := logstore.Lock(dir)
	fmt.Println("after the first is closed:", err)
	_ = again.Close()
	// Output:
	// second lock is refused: true
	// after the first is closed: <nil>
}
