// Package crawl crawls sites, and manages crawls that processes share: the command crawl.
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
		listen runner.Listen
	)
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "crawl URL…",
		Short: "Crawl from some start URLs and from the sitemaps of their hosts",
		Long: `Crawl from the start URLs and from the sitemaps that the robots.txt files of their
hosts list. Nothing that a robots.txt disallows is requested, and between two requests
to a host there is at least --delay, or the host's own Crawl-delay.

The crawl writes a directory: pages.jsonl has a line for each page, rejected.jsonl one
for each URL that was left alone and why, robots/ the robots.txt files seen. At its end
report.html says what was found; "politecrawl report DIR" writes that of a crawl which
is running or was killed.

Only public addresses are connected to. What a link, redirect, sitemap or name leads to on
this machine, in a private network or at a cloud's metadata service is listed in
rejected.jsonl as "address"; --allow-addr 127.0.0.0/8, or another network or address,
allows it. A start URL that is refused, with no page to show, is exit code 3.

Where no --proxy is given, those of HTTP_PROXY, HTTPS_PROXY and NO_PROXY are used, and a
note at the start says so. The address that a proxy connects to for a name is not seen.

The flags from --output on are also keys of the configuration file and, in capitals
with POLITECRAWL_ before them, environment variables: POLITECRAWL_MAX_PAGES=100. A
flag wins over the environment, the environment over the file. "politecrawl help
settings" has the whole of it, "politecrawl config show" tells what holds and why.

--log writes a log, for whoever operates the crawl: to standard error, above the view
of its progress, or to --log-file. Its lines have the attributes host, url, status,
reason, attempt, took, next, error and so on; in JSON times are in seconds. Secrets in
URLs are left out. With --quiet the log and errors are all that standard error gets.

The first interrupt (or SIGTERM) lets what is in flight come to its end; the second
breaks it off. Whatever ended it, kill -9 included, "crawl --resume DIR" goes on with
it, without asking any host sooner than it would have been. "crawl --recrawl DIR" asks
again for all that the crawl in DIR has asked for, and for nothing that the site says
has not changed.

Both take the settings that the crawl had, and no file. Of the environment they take only
what is not kept with a crawl: what is about the log, ` + settings.TokenVariable + `,
` + redisstore.PasswordVariable + `, and of ` + settings.Variable(settings.ProxyKey) + ` the users and passwords
of its proxies. Flags that are given with them change its settings for good: a later
--resume has them too. Of a crawl that several processes share only the limits can be
changed, --max-pages, --max-host-pages, --max-bytes and --max-time, and --allow-addr.
So --recrawl of a crawl that a limit has ended ends at that limit again, unless it is
given another: --max-pages 0. --max-time is for each run by itself.

--resume asks no more for what was given up: a page that is listed with a 5xx, or in
rejected.jsonl as failed, after all --retries. --recrawl does.

The time in the summary ("finished after 3s", and seconds in JSON) is this run's; the
other numbers are of all runs since the crawl, or its last recrawl, began.

With --frontier any number of processes, on any machines, work on one crawl. Give the
same command on each, with an --output of its own; those after the first need no start
URLs, but the same --allow-addr. They share the settings, all limits and one clock for
each host. "crawl status NAME" tells how it is getting on, "crawl stop NAME" ends it for
all, "report DIR…" reads what they wrote together, and --resume goes on with one of them.
The password for Redis is taken from the variable
` + redisstore.PasswordVariable + ` or from a file.`,
		Example: `  politecrawl crawl https://example.com/ --max-pages 100 --output example
  politecrawl crawl --url-file urls.txt --config configs/gentle.yaml
  politecrawl crawl --url-file urls.txt --listen 127.0.0.1:8080
  politecrawl crawl https://example.com/ --quiet --log json --log-file crawl.log
  politecrawl crawl https://example.com/ --frontier redis://10.0.0.5 --crawl-name example
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
				return cli.MisuseOf(cmd, "give start URLs, as arguments or with --url-file")
			}
			if err := s.Validate(); err != nil {
				return err
			}
			r := &runner.Runner{Streams: streams, Quiet: quiet, Log: s.Log, Listen: listen, SecretFlags: s.SecretFlags()}
			return crawl(cmd.Context(), r, s.Config, s.Options(), format)
		},
	}
	format.AddFlag(cmd)
	s.AddResumeFlags(cmd.Flags())
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "say nothing but errors (and the summary, when --format is json)")
	listen.AddFlags(cmd.Flags())
	s.AddFlags(cmd)
	cmd.AddCommand(crawlStatusCommand(streams), crawlStopCommand(streams), crawlDeleteCommand(streams))
	return cmd
}

// crawl crawls and prints the summary.
func crawl(ctx context.Context, r *runner.Runner, cfg crawler.Config, opts crawler.Options, format cli.Format) error {
	sum, err := r.Crawl(ctx, cfg, opts)
	if sum != nil {
		goOn := runner.ResumeText(sum.Summary)
		if errors.Is(err, redisstore.ErrGone) || errors.Is(err, redisstore.ErrTaken) || crawldir.IsDamagedFrontier(cfg.Output.Dir, err) {
			goOn = "" // it cannot, or another does
		}
		switch {
		case format == cli.JSON:
			err = errors.Join(err, r.PrintJSON(sum))
		case !r.Quiet:
			err = errors.Join(err, r.Print(runner.SummaryText(sum)+runner.WaitingText(sum.Summary)+goOn))
		}
		if r.Quiet {
			r.Lost(sum.Lost)
		}
	}
	if err != nil {
		return err
	}
	if err := r.RefusedStarts(sum.Refused, cfg.Fetch.AllowAddr, sum.Output, sum.Pages == 0 && sum.End != crawler.EndInterrupted); err != nil {
		return err
	}
	code := crawlCode(sum.Summary)
	if r.Quiet && code == cli.ExitLater {
		return cli.WithCode(code, errors.New(runner.LaterLine(sum.Summary)))
	}
	return cli.ExitWith(code)
}

// crawlCode is the exit code of a crawl. The next run may come to hosts that wait when the
// time of this one is up; where the crawl has had its pages or bytes, none would.
func crawlCode(s *crawler.Summary) int {
	if s.End == crawler.EndMaxTime && len(s.Waiting) > 0 {
		return cli.ExitLater
	}
	return runner.EndCode(s.End)
}
