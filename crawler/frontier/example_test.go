package frontier_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// What does a worker do?
func ExampleFrontier() {
	web := map[string][]string{ // pages and their links
		"https://a.example/":  {"https://a.example/1", "https://b.example/"},
		"https://a.example/1": {"https://a.example/"},
		"https://b.example/":  {"https://a.example/1", "https://b.example/gone"},
	}
	ctx := context.Background()
	var f frontier.Frontier = frontier.NewMemory(nil)
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://a.example/"}}); err != nil {
		log.Fatal(err)
	}
	for {
		leases, err := f.Lease(ctx, frontier.LeaseRequest{Wait: time.Second})
		if err != nil {
			log.Fatal(err)
		}
		if len(leases) == 0 {
			break
		}
		outcome := frontier.Outcome{Lease: leases[0].ID, Result: frontier.Drop, HostDelay: 10 * time.Millisecond}
		if links, ok := web[leases[0].URL]; ok {
			outcome.Result = frontier.Done
			for _, url := range links {
				outcome.Links = append(outcome.Links, frontier.Item{URL: url})
			}
		}
		fmt.Println(leases[0].URL, outcome.Result)
		if _, err := f.Finish(ctx, []frontier.Outcome{outcome}, nil); err != nil {
			log.Fatal(err)
		}
	}
	stats, err := f.Stats(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pages, %d dropped, finished: %v\n", stats.Done, stats.Dropped, stats.Finished())
	// Output:
	// https://a.example/ done
	// https://b.example/ done
	// https://a.example/1 done
	// https://b.example/gone drop
	// 3 pages, 1 dropped, finished: true
}
