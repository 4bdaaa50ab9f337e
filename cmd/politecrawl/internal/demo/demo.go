// Package demo has the command demo, which crawls a demo site and checks the crawl.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A demo is one run of the command: it serves the site, crawls it, and checks the requests.
type demo struct {
	*cli.Streams
	output string
	port   int
	keep   bool
	quiet  bool
	values *flags.Values // of the log and the live page
	format cli.Format
}

// The demo is faster than a crawl of a real site.
const (
	demoDelay       = 20 * time.Millisecond
	demoRobotsRetry = time.Second
)

// Command returns the command "demo".
func Command(streams *cli.Streams) *cobra.Command {
	d := &demo{Streams: streams, values: flags.New()}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Crawl a demo site on this machine, and check that the crawl is polite",
		Long: `Serve a small website of several hosts on this machine, crawl it, and compare the results
with the requests that the site recorded. The demo needs no network. The delay between two
requests to a host is 20 ms, and an unreachable robots.txt is retried after 1 s.

Exit code: 0 if the site saw no violation and the crawl fetched the expected pages, else 1.`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	d.format.AddFlag(cmd)
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&d.output, "output", "o", "", "write the crawl into `DIR` (default: a new temporary directory)")
	fs.IntVar(&d.port, "port", 0, "serve the site on port `N` (default 0: any free port)")
	fs.BoolVar(&d.keep, "keep", false, "serve the site after the crawl until interrupted")
	fs.BoolVarP(&d.quiet, "quiet", "q", false, "print the result and errors only")
	d.values.Add(fs, flags.ThisRun)
	d.values.Add(fs, flags.Runs)
	return cmd
}

func (d *demo) run(ctx context.Context) error {
	if d.port < 0 || d.port > 65535 {
		return cli.Misuse("--port: %d is not a port; choose one from 1 to 65535, or 0 for any free port", d.port)
	}
	site, err := demosite.Start(&demosite.Options{Port: d.port})
	if err != nil {
		return d.unserved(err)
	}
	defer func() { _ = site.Close() }() // every request has been recorded
	temporary := d.output == ""
	if temporary {
		if d.output, err = os.MkdirTemp("", "politecrawl-demo-"); err != nil {
			return cli.Failed("cannot make a temporary directory: %w; choose a directory with --output", cli.QuotePath(err))
		}
	}
	result, err := d.crawl(ctx, site)
	if err != nil {
		return err
	}
	if err := d.PrintAs(d.format, result, result.Text(d.Painter())); err != nil {
		return err
	}
	if temporary && !d.quiet {
		d.Notice(fmt.Sprintf("the files are in the temporary directory %q; remove it when you are done", d.output))
	}
	if d.keep && result.Summary.End == crawler.EndFinished {
		d.serve(ctx, site)
	}
	return cli.ExitWith(result.code())
}

// unserved returns the error of a site that cannot be served on --port.
func (d *demo) unserved(err error) error {
	switch {
	case errors.Is(err, demosite.ErrPortTaken):
		return cli.Misuse("--port: %w", err)
	case d.port != 0 && errors.Is(err, fs.ErrPermission):
		return cli.Misuse("--port: %w; choose a port from 1024 up, or 0 for any free one", err)
	}
	return cli.Failed("cannot serve the site: %w", err)
}

// crawl crawls the site and compares the results with the records of the site.
func (d *demo) crawl(ctx context.Context, site *demosite.Site) (*Result, error) {
	cfg := crawler.Default()
	cfg.URLs = site.StartURLs()
	cfg.Output.Dir = d.output
	cfg.Politeness.Delay = demoDelay
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.Robots.Retry = demoRobotsRetry
	r := &runner.Runner{Streams: d.Streams, Quiet: d.quiet, Log: d.values.Log, Listen: d.values.Listen}
	sum, err := r.Crawl(ctx, cfg, crawler.Options{})
	if err != nil {
		return nil, err
	}
	token, err := robotstxt.ProductToken(cfg.Fetch.UserAgent)
	if err != nil {
		return nil, cli.Failed("%w", err)
	}
	fetched, err := fetchedURLs(d.output)
	if err != nil {
		return nil, cli.Failed("cannot read back what was written: %w", err)
	}
	return newDemoResult(sum, fetched, cfg.Politeness.Delay, site.Judge(cfg.Politeness.Delay, token), site.Expected(token)), nil
}

// serve keeps the site running until the first interrupt.
func (d *demo) serve(ctx context.Context, site *demosite.Site) {
	d.Notice("the site is still running at " + site.StartURLs()[0] + "; Ctrl-C stops it")
	ctx, done := d.Interruptible(ctx, func() {}, "")
	defer done()
	<-ctx.Done()
}

// fetchedURLs reads the URLs of pages.jsonl, sorted.
func fetchedURLs(dir string) ([]string, error) {
	var urls []string
	for page, err := range output.Read[output.Page](dir) {
		if err != nil {
			return nil, err
		}
		urls = append(urls, page.URL)
	}
	slices.Sort(urls)
	return urls, nil
}
