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

// Which addresses are valid for TLS, Sentinels and Clusters?
func ExampleOpen_addresses() {
	ctx := context.Background()
	for _, address := range []string{
		"rediss://crawler@cache.example:6380/2",             // TLS, an ACL user, the password from the environment
		"redis://10.0.0.1,10.0.0.2,10.0.0.3",                // some servers of a Cluster
		"redis://10.0.0.1:26379,10.0.0.2:26379?master=main", // Sentinels
	} {
		f, err := redisstore.Open(ctx, address, &redisstore.Options{CrawlName: "news", MustExist: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f)
		_ = f.Close()
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

// How does a program delete a crawl that is not running?
func ExampleDelete() {
	err := redisstore.Delete(context.Background(), "redis://127.0.0.1:6379", &redisstore.Options{CrawlName: "news"})
	if errors.Is(err, redisstore.ErrInUse) {
		fmt.Println("workers are still running")
	} else if err != nil {
		log.Fatal(err)
	}
}

// Which workers are running?
func ExampleStore_Sync() {
	ctx := context.Background()
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{CrawlName: "news", Observe: true})
	if err != nil {
		log.Fatal(err)
	}
	result, err := f.Sync(ctx, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("running for", result.RunDuration)
	for _, w := range result.Workers {
		fmt.Printf("%s: last seen %v ago, registered: %v\n", w.Name, w.LastSeenAgo, w.Registered)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
