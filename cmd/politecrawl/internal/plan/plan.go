// Package plan has the command plan, which shows what a crawl would do.
package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Command returns the command "plan".
func Command(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		quiet  bool
	)
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "plan URL…",
		Short: "Show what a crawl would do, from robots.txt and sitemaps alone",
		Long: `Show what "politecrawl crawl" would do with the same settings: the pages and the delay of
each host, the skipped URLs, the lines of robots.txt that disallow them, the duration, and
the size of the frontier.

The command requests only robots.txt files and sitemaps, with the delay of the crawl. It
reads no page and writes no file. If a sitemap lists pages of another host, it sends a HEAD
request to a start URL of each origin, since the crawl includes hosts to which these redirect.
A crawl fetches more: pages that are found only by links, redirects, and retries. Slow responses
also make its delay longer.

Limits such as --max-pages and --max-time are those of the planned crawl. --retries applies
to sitemaps. --timeout limits connecting to a server.

Each URL counts once. URLs are compared by 64-bit hashes, so among ten million URLs the
chance of a wrong count is 3 in a million. A URL takes 20 to 40 bytes of memory.

An unreachable robots.txt is retried within --max-wait. The first interrupt stops the
command and prints the plan from what was read so far.

--format json writes one object on one line:

    end, started_at, duration_ms
                    of this command; end is finished, deferred (some hosts allow no request
                    yet), interrupted or failed
    urls, pages     number of URLs found, and of pages that a crawl would fetch
    rejected        number of skipped URLs by reason
    pages_beyond_limit
                    number of pages that remain when the crawl stops at a limit
    requests, robots, sitemaps, entries
                    number of requests of the crawl, robots.txt files, sitemaps read, and
                    pages that they list
    crawl_end, crawl_duration_ms
                    how the crawl would end (finished, max-pages, max-time or deferred), and
                    its duration
    bottleneck, slowest
                    what limits its speed (host, concurrency or per-ip), and the slowest host
    blocked_start_urls
                    list of start URLs at blocked addresses: url, addr, reason
    frontier_bytes, memory_bytes
                    size of the frontier on disk, and memory of the crawl
    origins         list of origins with pages to fetch:
      origin        scheme, host and port
      robots        outcome of robots.txt: rules, allow-all or unreachable
      robots_url, robots_status, robots_error, retry_at
                    of the request for robots.txt
      group         the group of robots.txt that applies; empty if none does
      urls, pages, rejected, sitemaps, requests
                    numbers, as above
      delay_ms, crawl_delay_ms, response_ms, duration_ms
                    delay of the crawl, Crawl-delay, average response time, and duration
      sitemaps_unread
                    number of sitemaps that are not read because of --max-sitemaps
      visit_times   list of the times at which robots.txt allows visits (Visit-time, UTC)
      opens_at      start of the next such time; empty if visits are allowed now
    others          list of all other origins, with the same fields
    disallowed      list of rules that disallow URLs: origin, robots_url, group, rule, line,
                    urls, examples
    files           list of sitemaps: url, origin, status, pages, sitemaps, and unread, the
                    reason why the file was not read completely; omitted if it was

Exit code: 0 done, 2 usage error, 3 failed, 4 a robots.txt is unreachable or a sitemap
cannot be requested yet, 130 interrupted.`,
		Example: `  politecrawl plan https://example.com/
  politecrawl plan https://example.com/ --delay 2s --max-time 8h
  politecrawl plan --url-file urls.txt --since 2026-01-01 --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.Load(args, streams.In); err != nil {
				return err
			}
			if len(s.Config.URLs) == 0 {
				return cli.MisuseOf(cmd, "give start URLs as arguments or with --url-file")
			}
			if err := s.Validate(); err != nil {
				return err
			}
			r := &runner.Runner{Streams: streams, Quiet: quiet, Log: s.Log}
			return run(cmd.Context(), r, s.Config, format)
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print the plan and errors only")
	s.AddFlags(cmd, flags.Resumes|flags.Runs)
	cmd.Flags().Lookup("timeout").Usage = "stop connecting to a server after `DURATION`"
	s.GroupFlags(cmd, flags.NoPlan)
	return cmd
}

// run plans a crawl and prints the plan, also one that was interrupted.
func run(ctx context.Context, r *runner.Runner, cfg crawler.Config, format cli.Format) error {
	p, err := makePlan(ctx, r, cfg)
	if p == nil {
		return err
	}
	if err := errors.Join(err, r.PrintAs(format, p, planText(p, &cfg, r.Painter()))); err != nil {
		return err
	}
	if err := r.RefusedStarts(p.BlockedStartURLs, nil, "", p.Pages == 0); err != nil {
		return err
	}
	return cli.ExitWith(runner.EndCode(p.End))
}

// makePlan requests robots.txt files and sitemaps, and returns the plan. It is nil if the planner
// could not start.
func makePlan(ctx context.Context, r *runner.Runner, cfg crawler.Config) (*plan.Plan, error) {
	view, log, endLog, err := r.Start()
	if err != nil {
		return nil, err
	}
	defer endLog()
	planner, err := crawler.NewPlanner(cfg, &crawler.Options{Logger: log, OnNotice: r.Note, Formats: flags.Formats(&cfg)})
	if err != nil {
		return nil, cli.WithCode(cli.ExitMisuse, err)
	}
	if !r.Quiet {
		r.Notice(fmt.Sprintf("reading robots.txt and sitemaps of %s; Ctrl-C stops and prints the plan so far", humanize.Count(runner.CountHosts(cfg.URLs), "host")))
		view.Repeat(func() {
			if s, err := planner.Status(); err == nil { // else the planner is ending
				view.ShowLines(planningLines(s, time.Now()))
			}
		})
	}
	ctx, done := r.Interruptible(ctx, func() {}, "interrupted: the plan is incomplete")
	defer done()
	plan, err := planner.Run(ctx)
	view.End()
	if err != nil {
		err = cli.Failed("%w", err)
	}
	return plan, err
}

// planningLines returns the progress of a planner as text.
func planningLines(s *crawler.PlanStatus, now time.Time) []string {
	sitemaps := fmt.Sprintf("sitemaps: %d read, %d remaining, %s", s.Sitemaps, s.SitemapsRemaining, humanize.Count(s.URLs, "URL"))
	hosts := fmt.Sprintf("hosts: %d with robots.txt requested", s.Hosts)
	if n := len(s.Waiting); n > 0 {
		hosts += fmt.Sprintf(", %d unreachable", n)
	}
	if wait := s.NextDue.Sub(now); !s.NextDue.IsZero() && wait > time.Second {
		hosts += ", next request in " + humanize.Duration(wait)
	}
	return []string{sitemaps, hosts}
}
