package browsertest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A Demo is a crawl of the demo site with its live page.
type Demo struct {
	Site    *demosite.Site
	Server  *monitor.Server
	Summary <-chan *crawler.Summary // receives the summary when the crawl ends
}

// StartDemo starts a crawl of the demo site with this delay between requests. The crawl is stopped
// when the test ends. If the port is in use, the site gets a free one.
func StartDemo(t testing.TB, port int, delay time.Duration) *Demo {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{Port: port})
	if err != nil {
		if site, err = demosite.Start(nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { site.Close() })
	server, err := monitor.Listen("127.0.0.1:0", &monitor.Options{Title: "the demo site"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir = site.StartURLs(), filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Robots.Retry = delay, time.Second
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{
		Formats: []output.Format{server.Format()},
		OnStart: func() { server.SetCrawl(c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	summary, done := make(chan *crawler.Summary, 1), make(chan struct{})
	go func() {
		defer close(done)
		sum, err := c.Run(ctx)
		if err != nil {
			t.Error(err)
		}
		server.Finish(sum)
		summary <- sum
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Demo{site, server, summary}
}
