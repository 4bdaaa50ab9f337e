package shared_test

import (
	"context"
	"fmt"
	"log"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// Who is at work on a crawl, and how does it end for all of them?
func ExampleStop() {
	ctx, opts := context.Background(), &redisstore.Options{Crawl: "news"}
	crawl, stats, err := shared.Status(ctx, "redis://10.0.0.5:6379", opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(crawl.Running(), "processes at work,", stats.Pending, "URLs pending")
	if _, err := shared.Stop(ctx, "redis://10.0.0.5:6379", opts); err != nil {
		log.Fatal(err)
	}
}
