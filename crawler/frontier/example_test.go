package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Which URL may be fetched next? Hosts are served round robin, and none before it is due.
func ExampleNewMemory() {
	ctx := context.Background()
	f := frontier.NewMemory(&frontier.Options{Delay: 50 * time.Millisecond})
	defer f.Close()
	_, err := f.Add(ctx, []frontier.Item{
		{URL: "https://a.example/1"}, {URL: "https://a.example/2"}, {URL: "https://b.example/1"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(map[frontier.Host]time.Time)
	for {
		leases, err := f.Lease(ctx, frontier.LeaseRequest{Wait: 200 * time.Millisecond})
		if err != nil || len(leases) == 0 {
			fmt.Println("no URL remains:", err)
			return
		}
		got := leases[0]
		fmt.Println(got.URL, "after a pause:", time.Since(ended[got.Host]) >= 50*time.Millisecond)
		// Fetch the page here. A positive HostDelay says that a request was made; the host's
		// own delay is longer.
		ended[got.Host] = time.Now()
		outcome := frontier.Outcome{Lease: got.ID, Result: frontier.Done, HostDelay: time.Nanosecond}
		if _, err := f.Finish(ctx, []frontier.Outcome{outcome}, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// https://a.example/1 after a pause: true
	// https://b.example/1 after a pause: true
	// https://a.example/2 after a pause: true
	// no URL remains: <nil>
}

// How does a host get no request until its Retry-After?
func ExampleHostUpdate() {
	ctx := context.Background()
	f := frontier.NewMemory(nil)
	defer f.Close()
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://a.example/"}}); err != nil {
		fmt.Println(err)
		return
	}
	until := time.Now().Add(time.Hour)
	if err := f.UpdateHost(ctx, "a.example", frontier.HostUpdate{BlockUntil: until}); err != nil {
		fmt.Println(err)
		return
	}
	leases, err := f.Lease(ctx, frontier.LeaseRequest{})
	fmt.Println(len(leases), err)
	host, err := f.Host(ctx, "a.example")
	fmt.Println(host.Pending, time.Until(host.Due) > 59*time.Minute, err)
	// Output:
	// 0 <nil>
	// 1 true <nil>
}

// What happens if a worker takes too long? Another worker gets the URL, and the first outcome is
// rejected.
func ExampleLostError() {
	ctx := context.Background()
	f := frontier.NewMemory(nil)
	defer f.Close()
	if _, err := f.Add(ctx, []frontier.Item{{URL: "https://a.example/"}}); err != nil {
		fmt.Println(err)
		return
	}
	slow, err := f.Lease(ctx, frontier.LeaseRequest{Duration: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	quick, err := f.Lease(ctx, frontier.LeaseRequest{Wait: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("attempts:", slow[0].Attempt, quick[0].Attempt)
	errs, err := f.Finish(ctx, []frontier.Outcome{{Lease: slow[0].ID, Result: frontier.Done}}, nil)
	fmt.Println(errs[0], err)
	lost, ok := errors.AsType[*frontier.LostError](f.Extend(ctx, []frontier.LeaseID{slow[0].ID}, time.Minute))
	fmt.Println(ok && lost.Leases[0] == slow[0].ID)
	// Output:
	// attempts: 1 2
	// lease lost <nil>
	// true
}

// Which URLs share a clock?
func ExampleHostOf() {
	for _, url := range []string{"https://a.example/1?x", "http://a.example./1", "https://a.example:8443/1", "about:blank"} {
		host, err := frontier.HostOf(url)
		fmt.Printf("%q %v\n", host, err)
	}
	// Output:
	// "a.example" <nil>
	// "a.example" <nil>
	// "a.example:8443" <nil>
	// "" invalid argument: no host in URL "about:blank"
}

// Which hosts do these items belong to? A store checks all items before it adds any.
func ExampleHostsOf() {
	fmt.Println(frontier.HostsOf([]frontier.Item{{URL: "https://a.example/"}, {URL: "https://a.example/", Host: "proxy.example"}}))
	// Output: [a.example proxy.example] <nil>
}

// Which outcomes are invalid? A store checks all before it finishes any.
func ExampleCheckFinish() {
	hosts, errs, err := frontier.CheckFinish([]frontier.Outcome{
		{Result: frontier.Done, Links: []frontier.Item{{URL: "https://a.example/2"}}},
		{Result: frontier.Result(9)},
	}, nil)
	fmt.Println(hosts[0], errs[0], err)
	fmt.Println(errors.Is(errs[1], frontier.ErrInvalid))
	// Output:
	// [a.example] <nil> <nil>
	// true
}

// How does a store keep the kind of a URL?
func ExampleParseKey() {
	key := frontier.Key{Kind: "check-head", URL: "https://a.example/", Owner: "2"}
	fmt.Println(key, frontier.ParseKey(key.String()) == key)
	// Output: https://a.example/#check-head-2 true
}

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
