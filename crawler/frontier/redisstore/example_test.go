package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// How does a worker take part in a crawl that others work on too?
func ExampleOpen() {
	ctx := context.Background()
	f, err := redisstore.Open(ctx, "redis://127.0.0.1:6379", &redisstore.Options{
		Crawl:  "news",
		Worker: "machine-3", // kept over restarts: what it had leased comes back at once
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

// Which addresses are there for Sentinels and Clusters?
func ExampleOpen_addresses() {
	ctx := context.Background()
	for _, address := range []string{
		"rediss://crawler@cache.example:6380/2",             // TLS, an ACL user, the password from the environment
		"redis://10.0.0.1,10.0.0.2,10.0.0.3",                // some of a Cluster
		"redis://10.0.0.1:26379,10.0.0.2:26379?master=main", // Sentinels
	} {
		f, err := redisstore.Open(ctx, address, &redisstore.Options{Crawl: "news", Join: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f)
		_ = f.Close()
	}
}
