package pictures

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// openBrowser starts Chromium so that it draws the same everywhere.
func openBrowser(t *testing.T) *browsertest.Tab {
	t.Helper()
	return browsertest.New(t, &browsertest.Options{
		Needed: true,
		Flags:  map[string]any{"hide-scrollbars": true, "font-render-hinting": "none"},
	})
}

// show opens a page of this markup.
func show(t *testing.T, b *browsertest.Tab, markup string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(markup), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + name)
}

// dashboard is a picture of the page that shows a crawl while it runs.
func dashboard(t *testing.T, b *browsertest.Tab) []byte {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{Port: 8080})
	if err != nil {
		if site, err = demosite.Start(nil); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = site.Close() }()
	server, err := monitor.Listen("127.0.0.1:0", &monitor.Options{Title: "the demo site"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir = site.StartURLs(), filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Robots.Retry = 200*time.Millisecond, time.Second // slowly enough to be seen
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{
		Formats: []output.Format{server.Format()},
		Begun:   func() { server.Begin(c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx)
		ended <- err
	}()
	b.Open(server.URL())
	time.Sleep(15 * time.Second)
	shot := b.Picture()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return shot
}
