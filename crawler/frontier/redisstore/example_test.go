package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// How does a worker join a crawl of several workers?
func ExampleOpen() {
	ctx := context.Background()
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{
		CrawlName:  "news",
		WorkerName: "machine-3", // keep it over restarts, so that the leases are available again at once
		Delay:      time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://example.com/"}}); err != nil {
		log.Fatal(err)
	}
	leases, err := f.Lease(ctx, frontier.LeaseRequest{Wait: time.Minute})
	switch {
	case errors.Is(err, redisstore.ErrFull):
		log.Fatal("Redis is full; no data is lost: give it more memory and start the worker again")
	case err != nil:
		log.Fatal(err)
	}
	for _, l := range leases {
		fmt.Println("fetching", l.URL)
		if _, err := f.Finish(ctx, []frontier.Outcome{{Lease: l.ID, Result: frontier.Done, HostDelay: time.Second}}, nil); err != nil {
			log.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// How do workers share a limit and stop each other?
func ExampleStore_Reserve() {
	ctx := context.Background()
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{CrawlName: "news", WorkerName: "machine-3"})
	if err != nil {
		log.Fatal(err)
	}
	const limit = 1_000_000 // pages of the crawl
	written := int64(0)     // by this worker, in all its runs
	if err := f.SetReserved(ctx, map[string]int64{"pages": written}); err != nil {
		log.Fatal(err)
	}
	stopped := func(message []byte) bool { return string(message) == "stop" } // a message of Publish
	for next := 0; ; {
		got, err := f.Reserve(ctx, "pages", 100, limit)
		if err != nil {
			log.Fatal(err)
		}
		// … fetch that many pages …
		result, err := f.Sync(ctx, []byte("fetching"), next)
		if err != nil {
			log.Fatal(err)
		}
		if got == 0 || slices.ContainsFunc(result.Messages, stopped) {
			break
		}
		next = result.Next
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
