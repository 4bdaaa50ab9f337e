// How do I get what a crawl finds while it runs? By a sink: Custom-sink prints what is
// broken on a site. Its arguments are the start URLs; without any it crawls a site of
// its own.
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

// broken is a sink that prints the pages that answer with an error.
type broken struct{ to io.Writer }

func (b broken) Write(f *output.Found) error {
	for _, p := range f.Pages {
		if p.Status >= 400 {
			if _, err := fmt.Fprintln(b.to, p.Status, p.URL, "on", p.FoundOn); err != nil {
				return err // which ends the crawl
			}
		}
	}
	return nil
}

// Commit of a sink that keeps things would see that they are safe, and return where
// it is to go on when the crawl does.
func (broken) Commit(bool) (mark []byte, err error) { return nil, nil }

func (broken) Close() error { return nil }

func main() {
	cfg := crawler.Default()
	if cfg.URLs = os.Args[1:]; len(cfg.URLs) == 0 {
		site, err := demosite.Start(nil)
		if err != nil {
			log.Fatal(err)
		}
		cfg.URLs = site.StartURLs()
		cfg.Politeness.Delay, cfg.Robots.Retry = 0, time.Second // nobody is bothered
		cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}           // where the site is
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
	// A format without a name is used in every crawl; with one, when Config.Output.Write has it.
	format := output.Format{Open: func(string, []byte) (output.Sink, error) { return broken{to}, nil }}
	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{format}})
	if err != nil {
		return err
	}
	_, err = c.Run(context.Background())
	return err
}
