package main

import (
	"context"
	"path/filepath"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// runCrawl crawls until the end or the first interrupt, and writes the report. Its
// errors know their exit code; the summary is nil when nothing was begun.
func runCrawl(ctx context.Context, streams *cli.Streams, cfg crawler.Config, opts crawler.Options, h *herald) (*printedSummary, error) {
	view := newProgress(streams.Err)
	aside := *streams
	aside.Err = view // so that what is said stands above the view
	h.Streams = &aside
	log, endLog, err := h.log.Open(&aside)
	if err != nil {
		return nil, err
	}
	defer endLog()
	opts.Logger = log
	opts.Formats = settings.Formats(&cfg)
	var c *crawler.Crawler // what it is of
	opts.Notice = h.note
	known := newRoster(cfg.URLs)
	if !h.quiet {
		opts.Formats = append(opts.Formats, known.format())
	}
	stage, err := h.listen.open(cfg, &opts, log)
	if err != nil {
		return nil, err
	}
	defer stage.close()
	opts.Begun = func() {
		h.begun(cfg, opts)
		stage.begin(c, h)
		if !h.quiet {
			view.begin(c, known, cfg.MaxPages)
		}
	}
	c, err = crawler.New(cfg, &opts)
	if err != nil {
		return nil, cli.WithCode(cli.ExitMisuse, cli.WithoutPrefix(err))
	}
	ctx, done := aside.Interruptible(ctx, c.Abort, "interrupted: what is in flight is being finished; interrupt again to break it off")
	defer done()
	sum, err := c.Run(ctx)
	view.end()
	stage.end(sum)
	if sum == nil {
		return nil, notBegun(cfg.Output, opts, err)
	}
	printed := newPrintedSummary(sum)
	if isOfRedis(err) {
		return printed, redisError(err)
	}
	if short := crawldir.ExhaustedError(cfg.Output, err); short != nil {
		return printed, short
	}
	if crawldir.IsDamagedFrontier(cfg.Output, err) {
		return printed, crawldir.DamagedFrontier(cfg.Output, err)
	}
	if err != nil {
		return printed, cli.Failed("%w", cli.WithoutPrefix(err))
	}
	found, err := report.Make([]string{cfg.Output}, nil)
	if err == nil {
		err = found.WriteFiles(cfg.Output)
	}
	if err != nil {
		return printed, cli.Failed("the crawl is written down, but not its report: %w; write it with: politecrawl report %s", cli.WithoutPrefix(err), cli.ShellWord(cfg.Output))
	}
	printed.Report = filepath.Join(cfg.Output, report.HTMLFile)
	return printed, nil
}

// endCode is the exit code of a crawl that ended so.
func endCode(end crawler.End) int {
	switch end {
	case crawler.EndLater:
		return cli.ExitLater
	case crawler.EndInterrupted:
		return cli.ExitInterrupted
	case crawler.EndFailed:
		return cli.ExitFailed
	}
	return cli.ExitDone
}
