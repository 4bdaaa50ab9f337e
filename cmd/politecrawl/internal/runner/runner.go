// Package runner runs a crawl with its log, progress, live page, notes and summary.
package runner

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/logging"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/progress"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A Runner runs or plans a crawl, and writes its start, progress and notes to standard
// error. It is safe for concurrent use.
type Runner struct {
	*cli.Streams
	Quiet       bool // say nothing but errors
	NoResume    bool // the command cannot resume a crawl, so do not advise it
	Log         logging.Config
	Listen      flags.Listen
	SecretFlags map[string]string // flags that hold a secret, each with the variable to use instead
}

// Start opens the log, and shows the progress on standard error. Later text on standard
// error appears above it. The caller calls end.
func (r *Runner) Start() (view *progress.View, log *slog.Logger, end func(), err error) {
	streams := *r.Streams
	view = progress.New(streams.Err)
	streams.Err = view
	r.Streams = &streams
	log, end, err = r.Log.Open(r.Streams)
	return view, log, end, err
}

// Crawl crawls until the end or the first interrupt, and writes the report. Its errors have
// exit codes. The summary is nil if the crawl did not start.
func (r *Runner) Crawl(ctx context.Context, cfg crawler.Config, opts crawler.Options) (*Summary, error) {
	view, log, endLog, err := r.Start()
	if err != nil {
		return nil, err
	}
	defer endLog()
	opts.Logger = log
	opts.Formats = flags.Formats(&cfg)
	var c *crawler.Crawler
	opts.OnNotice = r.Note
	known := progress.NewHostList(cfg.URLs)
	if !r.Quiet {
		opts.Formats = append(opts.Formats, known.Format())
	}
	page, where, err := openPage(r.Listen, cfg, &opts, log)
	if err != nil {
		return nil, err
	}
	if page != nil {
		defer func() { _ = page.Close() }()
	}
	opts.OnStart = func() {
		r.started(cfg, opts)
		if status, err := c.Status(); opts.Resume && err == nil && status.Remaining == 0 {
			r.Note("no URLs remain; to request all of them again: politecrawl crawl --recrawl " + cli.ShellWord(cfg.Output.Dir))
		}
		if page != nil {
			page.SetCrawl(c)
		}
		if !r.Quiet {
			if page != nil {
				r.Notice(where)
			}
			view.Begin(c, known, cfg.Limits.MaxPages)
		}
	}
	c, err = crawler.New(cfg, &opts)
	if err != nil {
		return nil, cli.WithCode(cli.ExitMisuse, err)
	}
	ctx, done := r.Interruptible(ctx, c.Abort, "interrupted: finishing the requests in flight; interrupt again to abort them")
	sum, err := c.Run(ctx)
	done()
	view.End()
	if page != nil {
		page.Finish(sum)
	}
	if sum == nil {
		return nil, r.notStarted(cfg.Output.Dir, opts, err)
	}
	printed := NewSummary(sum)
	if r.NoResume {
		printed.ResumeCommand = ""
	}
	if err != nil {
		return printed, r.endedBy(cfg.Output.Dir, err)
	}
	// An interrupted crawl has a report too. Another interruption is of the report.
	ctx, done = r.Interruptible(context.WithoutCancel(ctx), func() {}, "interrupted: the report is not written")
	defer done()
	found, err := report.Generate(ctx, []string{cfg.Output.Dir}, nil)
	if err == nil {
		err = found.WriteFiles(ctx, cfg.Output.Dir)
	}
	if err != nil {
		return printed, cli.Failed("cannot write the report: %w; the crawl itself is complete; to retry: politecrawl report %s", err, cli.ShellWord(cfg.Output.Dir))
	}
	printed.Found, printed.Report = found, filepath.Join(cfg.Output.Dir, report.HTMLFile)
	return printed, nil
}

// started writes the start notice of the crawl.
func (r *Runner) started(cfg crawler.Config, opts crawler.Options) {
	if r.Quiet {
		return
	}
	hosts := humanize.Count(CountHosts(cfg.URLs), "host")
	what := "crawling " + hosts
	switch {
	case opts.Resume:
		what = "resuming the crawl of " + hosts
	case opts.Recrawl:
		what = "recrawling " + hosts
	}
	if cfg.Sharing.Frontier != "" {
		what += fmt.Sprintf(" as a worker of the crawl %q on %s", cfg.Sharing.CrawlName, cfg.Sharing.Frontier)
	}
	r.Notice(fmt.Sprintf("%s into %q; Ctrl-C finishes the requests in flight and stops", what, cfg.Output.Dir))
	for _, flag := range slices.Sorted(maps.Keys(r.SecretFlags)) {
		r.Note(fmt.Sprintf("other users of this machine can see the secret in %s in the process list; set %s instead", flag, r.SecretFlags[flag]))
	}
}

// Note writes an informational line, except with --quiet.
func (r *Runner) Note(line string) {
	if r.Quiet {
		return
	}
	r.Notice("note: " + line)
}

// EndCode returns the exit code for an end of a crawl.
func EndCode(end crawler.End) int {
	switch end {
	case crawler.EndDeferred:
		return cli.ExitLater
	case crawler.EndInterrupted:
		return cli.ExitInterrupted
	case crawler.EndFailed:
		return cli.ExitFailed
	}
	return cli.ExitDone
}

// CountHosts counts the hosts of URLs.
func CountHosts(urls []string) int {
	hosts := map[frontier.Host]bool{}
	for _, raw := range urls {
		if h, err := frontier.HostOf(strings.ToLower(raw)); err == nil {
			hosts[h] = true
		}
	}
	return len(hosts)
}
