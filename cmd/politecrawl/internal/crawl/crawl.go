// Package crawl has the command crawl, which crawls sites and manages shared crawls.
package crawl

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// Command returns the command "crawl".
func Command(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		quiet  bool
	)
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "crawl URL…",
		Short: "Crawl sites from start URLs and sitemaps",
		Long: `Crawl sites from start URLs and from the sitemaps in robots.txt. Request nothing that robots.txt
disallows, and wait for --delay or the host's Crawl-delay between two requests to a host.`,
		Example: `  politecrawl crawl https://example.com/ --max-pages 100 --output example
  politecrawl crawl --url-file urls.txt --config configs/gentle.yaml --listen 127.0.0.1:8080
  politecrawl crawl --resume example --max-pages 200
  politecrawl crawl --recrawl example`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.LoadOrResume(cmd, args, streams.In); err != nil {
				return err
			}
			if err := join(cmd.Context(), s); err != nil {
				return err
			}
			if len(s.Config.URLs) == 0 {
				return cli.MisuseOf(cmd, "give start URLs as arguments or with --url-file")
			}
			if err := s.Validate(); err != nil {
				return err
			}
			r := &runner.Runner{Streams: streams, Quiet: quiet, Log: s.Log, Listen: s.Listen, SecretFlags: s.SecretFlags()}
			return crawl(cmd.Context(), r, s.Config, s.Options(), format)
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print errors only, and the summary with --format json")
	s.AddFlags(cmd, 0)
	s.GroupFlags(cmd, 0)
	cmd.AddCommand(crawlStatusCommand(streams), crawlStopCommand(streams), crawlDeleteCommand(streams))
	return cmd
}

// crawl crawls and prints the summary.
func crawl(ctx context.Context, r *runner.Runner, cfg crawler.Config, opts crawler.Options, format cli.Format) error {
	sum, err := r.Crawl(ctx, cfg, opts)
	if sum != nil {
		resume := runner.ResumeText(sum.Summary)
		if errors.Is(err, redisstore.ErrDeleted) || errors.Is(err, redisstore.ErrNameTaken) || crawldir.IsDamagedFrontier(cfg.Output.Dir, err) {
			resume = "" // it cannot be resumed, or another process runs it
		}
		switch {
		case format == cli.JSON:
			err = errors.Join(err, r.PrintJSON(sum))
		case !r.Quiet:
			err = errors.Join(err, r.Print(runner.SummaryText(sum)+runner.WaitingText(sum.Summary)+resume))
		}
		if r.Quiet {
			for _, l := range sum.Lost { // no file has this information
				r.Complain(errors.New(l.String()))
			}
		}
	}
	if err != nil {
		return err
	}
	if err := r.RefusedStarts(sum.BlockedStartURLs, cfg.Fetch.AllowAddr, sum.Output, isFutile(sum.Summary)); err != nil {
		return err
	}
	code := crawlCode(sum.Summary)
	if r.Quiet && code == cli.ExitLater {
		return cli.WithCode(code, errors.New(runner.LaterLine(sum.Summary)))
	}
	return cli.ExitWith(code)
}

// crawlCode returns the exit code of a crawl. After --max-time, the next run may fetch from
// hosts that wait now. After --max-pages or --max-bytes it fetches nothing.
func crawlCode(s *crawler.Summary) int {
	if s.End == crawler.EndMaxTime && len(s.Waiting) > 0 {
		return cli.ExitLater
	}
	return runner.EndCode(s.End)
}

// isFutile reports whether a crawl fetched no page although nobody stopped it.
func isFutile(s *crawler.Summary) bool {
	return s.Pages == 0 && s.End != crawler.EndInterrupted && s.End != crawler.EndStopped
}
