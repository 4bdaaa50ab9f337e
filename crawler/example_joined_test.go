package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// How do processes on several machines work on one crawl?
func ExampleJoined() {
	ctx := context.Background()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = []string{"https://example.com/"}, "example"
	cfg.Cluster.Frontier, cfg.Cluster.Join = "redis://10.0.0.5:6379", "news"
	cfg, err := crawler.Joined(ctx, cfg, nil)
	if err != nil && !errors.Is(err, redisstore.ErrNone) { // this one would begin it
		log.Fatal(err)
	}
	c, err := crawler.New(cfg, nil)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := c.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Pages, "of", sum.Shared.Pages(), "pages by", sum.Shared.Worker)
}
