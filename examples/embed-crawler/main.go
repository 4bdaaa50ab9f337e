// How do I run the crawler inside my program, with limits? Embed-crawler counts the words in the
// titles of at most 50 pages, for at most a minute, and leaves no files. Its arguments are the
// start URLs. Without arguments it crawls a local site.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func main() {
	cfg := crawler.Default()
	cfg.Fetch.UserAgent = "examplebot/1.0 (+https://example.com/bot)"
	cfg.Limits.MaxPages, cfg.Scope.MaxDepth, cfg.Limits.MaxTime, cfg.Limits.MaxWait = 50, 3, time.Minute, 0
	if cfg.URLs = os.Args[1:]; len(cfg.URLs) == 0 {
		site, err := demosite.Start(nil)
		if err != nil {
			log.Fatal(err)
		}
		cfg.URLs, cfg.Politeness.Delay = site.StartURLs(), 0 // it is our own site
		cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}        // its address
	}
	// Ctrl-C ends the crawl after the requests in flight are finished.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := count(ctx, cfg, os.Stdout)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// count crawls, and prints each word with its number of occurrences.
func count(ctx context.Context, cfg crawler.Config, to io.Writer) error {
	dir, err := os.MkdirTemp("", "embed-crawler-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cfg.Output.Dir = dir
	c, err := crawler.New(cfg, &crawler.Options{
		// In memory, since this crawl is never resumed. The default frontier is on disk.
		Frontier: frontier.NewMemory(&frontier.Options{Delay: cfg.Politeness.Delay, MaxInFlight: cfg.Politeness.PerHost}),
		Logger:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	sum, err := c.Run(ctx)
	if err != nil {
		return err
	}
	words := make(map[string]int)
	for page, err := range output.Read[output.Page](dir) {
		if err != nil {
			return err
		}
		for word := range strings.FieldsSeq(strings.ToLower(page.Title)) {
			words[word]++
		}
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		if _, err := fmt.Fprintln(to, words[word], word); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(to, "%d pages (%s), %d URLs remaining\n", sum.Pages, sum.End, sum.Remaining)
	return err
}
