// How do several processes share their robots.txt records? This example stores them in Redis.
//
//	go run ./examples/shared-cache 127.0.0.1:6379 https://example.com/
//
// It checks each URL. Run it twice: the second run requests no robots.txt.
package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/robotsext"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: shared-cache ADDRESS-OF-REDIS URL…")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(redis string, urls []string) error {
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{redis}, DisableCache: true})
	if err != nil {
		return err
	}
	defer client.Close()
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{
		Cache:    robotsext.CacheOptions{Backend: redisCache{client}},
		OnRecord: func(rec *robotsext.Record) { fmt.Println("requested", rec.Origin.RobotsURL()) },
	})
	if err != nil {
		return err
	}
	defer robots.CloseIdleConnections()
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return err
		}
		if err := robots.Check(context.Background(), u); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("allowed", u)
	}
	return nil
}
