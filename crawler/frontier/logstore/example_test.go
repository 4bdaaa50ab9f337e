package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
)

// filled creates a store with three URLs, one of them fetched.
func filled() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "frontier"); err != nil {
		return "", nil, err
	}
	ctx := context.Background()
	store, err := logstore.Open(dir, nil)
	if err != nil {
		return "", nil, err
	}
	_, err = store.Add(ctx, []frontier.Item{{URL: "https://a.example/1"}, {URL: "https://a.example/2"}, {URL: "https://b.example/"}})
	if err != nil {
		return "", nil, err
	}
	leases, err := store.Lease(ctx, frontier.LeaseRequest{})
	if err != nil {
		return "", nil, err
	}
	_, err = store.Finish(ctx, []frontier.Outcome{{Lease: leases[0].ID, Result: frontier.Done}}, []byte("page 1 is written"))
	return dir, func() { _ = os.RemoveAll(dir) }, errors.Join(err, store.Close())
}

// How does a program resume a crawl after its process ended?
func ExampleOpen() {
	dir, remove, err := filled() // by an earlier process
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	ctx := context.Background()

	store, err := logstore.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	note, err := store.Note(ctx)
	fmt.Printf("%s %v\n", note, err)
	leases, err := store.Lease(ctx, frontier.LeaseRequest{Max: 10})
	for _, l := range leases {
		fmt.Println(l.URL)
	}
	fmt.Println(err)

	_, err = logstore.Open(dir, nil)
	if inUse, ok := errors.AsType[*logstore.InUseError](err); ok {
		fmt.Println("the store is open in this process:", inUse.PID == os.Getpid())
	}
	// Output:
	// page 1 is written <nil>
	// https://a.example/2
	// https://b.example/
	// <nil>
	// the store is open in this process: true
}

// Which URLs remain in a crawl that is not running?
func ExampleOpenReadOnly() {
	dir, remove, err := filled()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()

	view, err := logstore.OpenReadOnly(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer view.Close()
	for host, err := range view.Hosts() {
		fmt.Println(host.Host, host.Pending, host.Done, err)
	}
	for url, err := range view.URLs() {
		fmt.Println(url.State, url.URL, err)
	}
	// Output:
	// a.example 1 1 <nil>
	// b.example 1 0 <nil>
	// pending https://a.example/2 <nil>
	// pending https://b.example/ <nil>
	// done https://a.example/1 <nil>
}

// How does a program learn whether a directory has a store that it may open?
func ExampleCheck() {
	dir, remove, err := filled()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	fmt.Println(logstore.Check(dir))
	store, err := logstore.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(errors.Is(logstore.Check(dir), logstore.ErrInUse))
	fmt.Println(store.Close())
	// Output:
	// <nil>
	// true
	// <nil>
}

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
