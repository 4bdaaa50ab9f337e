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
		Crawl:  "news",
		Worker: "machine-3", // kept over restarts, so that it gets its leases back at once
		Delay:  time.Second,
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
		log.Fatal("Redis needs more memory: nothing is lost, and the crawl goes on when it has some")
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
		f, err := redisstore.Open(ctx, address, &redisstore.Options{Crawl: "news", MustExist: true})
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
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{Crawl: "news", Worker: "machine-3"})
	if err != nil {
		log.Fatal(err)
	}
	const most = 1_000_000 // pages of the crawl
	written := int64(0)    // by this worker, in all its runs
	if err := f.SetReserved(ctx, map[string]int64{"pages": written}); err != nil {
		log.Fatal(err)
	}
	stopped := func(message []byte) bool { return string(message) == "stop" } // a message of Publish
	for next := 0; ; {
		got, err := f.Reserve(ctx, "pages", 100, most)
		if err != nil {
			log.Fatal(err)
		}
		// … fetch that many pages …
		news, err := f.Sync(ctx, []byte("fetching"), next)
		if err != nil {
			log.Fatal(err)
		}
		if got == 0 || slices.ContainsFunc(news.Messages, stopped) {
			break
		}
		next = news.Next
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

// How is a finished crawl removed?
func ExampleDelete() {
	err := redisstore.Delete(context.Background(), "redis://127.0.0.1:6379", &redisstore.Options{Crawl: "news"})
	if errors.Is(err, redisstore.ErrInUse) {
		fmt.Println("it goes on")
	} else if err != nil {
		log.Fatal(err)
	}
}

// Which workers are running?
func ExampleStore_Sync() {
	ctx := context.Background()
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{Crawl: "news", Observe: true})
	if err != nil {
		log.Fatal(err)
	}
	news, err := f.Sync(ctx, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("for", news.Age)
	for _, w := range news.Workers {
		fmt.Printf("%s was heard of %v ago, at work: %v\n", w.Name, w.LastSeenAgo, w.Registered)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
