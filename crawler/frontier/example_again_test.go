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
	fmt.Println("fetched", leases[0].URL, "which was known before:", leases[0].Validators != nil)
}

// How is everything fetched another time? Add would leave it as it is: done.
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
	note, err := f.Note(ctx) // what a store on disk would say after a crash
	fmt.Printf("%s %v\n", note, err)
	// Output:
	// [true] <nil>
	// fetched https://a.example/ which was known before: false
	// [false] <nil>
	// [true] <nil>
	// fetched https://a.example/ which was known before: true
	// page 1 of round 2 is written <nil>
}

// How does a request take its turn that is for no URL of the crawl, such as one for
// robots.txt?
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
	fmt.Println("leases while the request goes on:", len(leases), err)
	release(time.Millisecond) // the delay until the next one
	leases, err = f.Lease(ctx, frontier.LeaseRequest{Wait: time.Minute})
	fmt.Println("and after it:", len(leases), err)
	// Output:
	// leases while the request goes on: 0 <nil>
	// and after it: 1 <nil>
}

// What waits still, and was this URL ever seen?
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
		fmt.Println("waits:", item.URL, err)
	}
	known, err := f.Known(ctx, []string{"https://a.example/1", "https://a.example/3"})
	fmt.Println(known, err)
	// Output:
	// fetched https://a.example/1 which was known before: false
	// waits: https://a.example/2 <nil>
	// [true false] <nil>
}
