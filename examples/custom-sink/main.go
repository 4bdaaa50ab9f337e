// How do I receive results while a crawl runs? Write a sink: custom-sink prints the broken
// pages of a site. Its arguments are the start URLs. Without arguments it crawls a local site.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// broken is a sink that prints pages with an error status.
type broken struct{ to io.Writer }

func (b broken) Write(r *output.Results) error {
	for _, p := range r.Pages {
		if p.Status >= 400 {
			if _, err := fmt.Fprintln(b.to, p.Status, p.URL, "on", p.FoundOn); err != nil {
				return err // ends the crawl
			}
		}
	}
	return nil
}

// Commit has nothing to save. A sink with state would write it to disk, and return a checkpoint
// from which a resumed crawl continues.
func (broken) Commit(bool) (checkpoint []byte, err error) { return nil, nil }

func (broken) Close() error { return nil }

func main() {
	cfg := crawler.Default()
	if cfg.URLs = os.Args[1:]; len(cfg.URLs) == 0 {
		site, err := demosite.Start(nil)
		if err != nil {
			log.Fatal(err)
		}
		cfg.URLs = site.StartURLs()
		cfg.Politeness.Delay, cfg.Robots.Retry = 0, time.Second // it is our own site
		cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}           // its address
	}
	if err := crawl(cfg, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func crawl(cfg crawler.Config, to io.Writer) (err error) {
	if cfg.Output.Dir, err = os.MkdirTemp("", "custom-sink-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cfg.Output.Dir) }()
	// A format without a name is always used. One with a name must be in Config.Output.AlsoWrite.
	format := output.Format{Open: func(string, []byte) (output.Sink, error) { return broken{to}, nil }}
	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{format}})
	if err != nil {
		return err
	}
	_, err = c.Run(context.Background())
	return err
}
