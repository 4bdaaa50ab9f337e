package frontier_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// fetchOne leases a URL and finishes it at once.
func fetchOne(f frontier.Frontier, note string) {
	ctx := context.Background()
	leases, err := f.Lease(ctx, frontier.LeaseRequest{})
	if err != nil || len(leases) == 0 {
		log.Fatal("nothing to fetch: ", err)
	}
	outcome := frontier.Outcome{Lease: leases[0].ID, Result: frontier.Done, Validators: &frontier.Validators{ETag: `"1"`}}
	if _, err := f.Finish(ctx, []frontier.Outcome{outcome}, []byte(note)); err != nil {
		log.Fatal(err)
	}
	fmt.Println("fetched", leases[0].URL, "has validators:", leases[0].Validators != nil)
}

// How does a recrawl fetch URLs again that are done?
func ExampleMemory_Revisit() {
	ctx := context.Background()
	f := frontier.NewMemory(nil)
	defer f.Close()
	items := []frontier.Item{{URL: "https://a.example/"}}
	added, err := f.Add(ctx, items)
	fmt.Println(added, err)
	fetchOne(f, "page 1 of round 1 is written")
	added, err = f.Add(ctx, items)
	fmt.Println(added, err)
	again, err := f.Revisit(ctx, items)
	fmt.Println(again, err)
	fetchOne(f, "page 1 of round 2 is written")
	note, err := f.Note(ctx) // after a crash, a durable store still has it
	fmt.Printf("%s %v\n", note, err)
	// Output:
	// [true] <nil>
	// fetched https://a.example/ has validators: false
	// [false] <nil>
	// [true] <nil>
	// fetched https://a.example/ has validators: true
	// page 1 of round 2 is written <nil>
}

// How does a request without a lease, such as one for robots.txt, get a request slot?
func ExampleMemory_Hold() {
	ctx := context.Background()
	f := frontier.NewMemory(nil)
	defer f.Close()
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://a.example/"}}); err != nil {
		fmt.Println(err)
		return
	}
	release, err := f.Hold(ctx, "a.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	leases, err := f.Lease(ctx, frontier.LeaseRequest{})
	fmt.Println("leases during the request:", len(leases), err)
	release(time.Millisecond) // the delay until the next one
	leases, err = f.Lease(ctx, frontier.LeaseRequest{Wait: time.Minute})
	fmt.Println("leases after it:", len(leases), err)
	// Output:
	// leases during the request: 0 <nil>
	// leases after it: 1 <nil>
}

// Which URLs are waiting, and is this URL known?
func ExampleMemory_Waiting() {
	ctx := context.Background()
	f := frontier.NewMemory(nil)
	defer f.Close()
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://a.example/1"}, {URL: "https://a.example/2"}}); err != nil {
		fmt.Println(err)
		return
	}
	fetchOne(f, "")
	for item, err := range f.Waiting(ctx, "a.example") {
		fmt.Println("waiting:", item.URL, err)
	}
	known, err := f.Known(ctx, []frontier.Key{{URL: "https://a.example/1"}, {URL: "https://a.example/3"}})
	fmt.Println(known, err)
	// Output:
	// fetched https://a.example/1 has validators: false
	// waiting: https://a.example/2 <nil>
	// [true false] <nil>
}
