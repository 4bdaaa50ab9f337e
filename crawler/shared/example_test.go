package shared_test

import (
	"context"
	"fmt"
	"log"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// Which workers does a crawl have, and how do I stop all of them?
func ExampleStop() {
	ctx, opts := context.Background(), &redisstore.Options{CrawlName: "news"}
	crawl, stats, err := shared.Status(ctx, "redis://10.0.0.5:6379", opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(crawl.Running(), "running workers,", stats.Pending, "URLs pending")
	if _, err := shared.Stop(ctx, "redis://10.0.0.5:6379", opts); err != nil {
		log.Fatal(err)
	}
}
