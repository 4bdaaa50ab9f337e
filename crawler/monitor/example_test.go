package monitor_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// How do I watch a crawl while it runs?
func Example() {
	site, err := demosite.Start(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()
	dir, err := os.MkdirTemp("", "watched")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()

	server, err := monitor.Listen("127.0.0.1:0", nil) // a free port; 127.0.0.1:8080 is easier to remember
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir, cfg.Politeness.Delay, cfg.Limits.MaxPages = site.StartURLs(), filepath.Join(dir, "crawl"), 0, 20
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{
		Formats: []output.Format{server.Format()},
		OnStart: func() {
			server.SetCrawl(c)
			fmt.Println("listening on loopback:", strings.HasPrefix(server.URL(), "http://127.0.0.1:"))
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := c.Run(context.Background())
	server.Finish(sum)
	if err != nil {
		fmt.Println(err)
		return
	}

	resp, err := http.Get(server.URL() + "metrics")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "politecrawl_page_fetch_duration_seconds_count") {
			fmt.Print(line)
		}
	}
	// Output:
	// listening on loopback: true
	// politecrawl_page_fetch_duration_seconds_count 20
}

// How do I allow others on the network to watch a crawl?
func ExampleListen() {
	_, err := monitor.Listen("0.0.0.0:8080", nil)
	fmt.Println(err)

	server, err := monitor.Listen("0.0.0.0:0", &monitor.Options{Token: os.Getenv("TOKEN") + "something long and random"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	resp, err := http.Get(server.URL())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output:
	// a token is required: "0.0.0.0:8080" can be reached from other machines; listen on 127.0.0.1:8080, or set a token that is hard to guess
	// 401 Unauthorized
}
