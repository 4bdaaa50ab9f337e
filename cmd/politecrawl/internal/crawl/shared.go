package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// joinTime is the timeout of Redis before the crawl starts.
const joinTime = 15 * time.Second

// join adopts the settings of a shared crawl if it exists. Settings that the user gave must
// be the same.
func join(ctx context.Context, s *settings.Settings) error {
	opts := s.Options()
	switch {
	case opts.Resume || opts.Recrawl:
		return nil
	case s.Config.Sharing.Frontier == "" && s.Config.Sharing.CrawlName != crawler.Default().Sharing.CrawlName: // as in a saved configuration
		return cli.Misuse("--crawl-name: %s is the name of a shared crawl; give the address of its Redis with --frontier", cli.Escape(s.Config.Sharing.CrawlName))
	case s.Config.Sharing.Frontier == "":
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	own := s.Config
	own.URLs = nil
	joined, err := crawler.JoinConfig(ctx, own, s.IsSet)
	isNew := func(u string) bool { return !slices.Contains(joined.URLs, u) }
	switch {
	case err == nil && !s.IsSet("crawl-name") && slices.ContainsFunc(s.Config.URLs, isNew):
		return cli.Misuse("%s already has a crawl with other start URLs; start another crawl with --crawl-name NAME, or add these URLs to it with --crawl-name %s",
			s.Config.Sharing.Frontier, joined.Sharing.CrawlName)
	case err == nil:
		for _, u := range s.Config.URLs {
			if isNew(u) {
				joined.URLs = append(joined.URLs, u)
			}
		}
		s.Config = joined
		return nil
	case errors.Is(err, redisstore.ErrNotFound) && len(s.Config.URLs) == 0:
		return cli.Misuse("no crawl %q to join on %s; give start URLs to start it", s.Config.Sharing.CrawlName, s.Config.Sharing.Frontier)
	case errors.Is(err, redisstore.ErrNotFound):
		return nil // this process starts it
	case errors.Is(err, crawler.ErrConfig):
		return cli.WithCode(cli.ExitMisuse, err)
	}
	return cmp.Or(runner.RedisError(err), cli.Failed("%w", err))
}

// A sharedFlags names a crawl that processes share.
type sharedFlags struct{ crawler.Sharing }

func (f *sharedFlags) command(use, short, long, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Long: long, Example: example,
		Args: cli.Args(1, 1, "the name of a shared crawl"),
	}
	s := settings.New()
	load := s.AddLocation(cmd)
	cmd.Flags().Lookup("frontier").Usage = "connect to the Redis server at `URL`, such as redis://host:port"
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := load(); err != nil {
			return err
		}
		if s.Config.Sharing.Frontier == "" {
			return cli.MisuseOf(cmd, "give the address of its Redis with --frontier")
		}
		f.Sharing = s.Config.Sharing
		f.CrawlName = args[0]
		if err := f.Validate(); err != nil {
			return cli.WithCode(cli.ExitMisuse, err)
		}
		return nil
	}
	return cmd
}

// options returns the options that open the crawl.
func (f *sharedFlags) options() *redisstore.Options {
	return &redisstore.Options{CrawlName: f.CrawlName, Prefix: f.Prefix, PasswordFile: f.PasswordFile}
}

func crawlStopCommand(streams *cli.Streams) *cobra.Command {
	var f sharedFlags
	cmd := f.command("stop", "Stop all workers of a shared crawl",
		`Stop all workers of a shared crawl. Each finishes its requests in flight, writes its
report, and can be resumed with --resume. Workers that join later are not affected. NAME is
the --crawl-name of the crawl.`,
		"  politecrawl crawl stop news --frontier redis://10.0.0.5")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), joinTime)
		defer cancel()
		all, err := shared.Stop(ctx, f.Frontier, f.options())
		if err != nil {
			return f.failure(err)
		}
		if all.Running() == 0 {
			return streams.Print(fmt.Sprintf("no worker of %s is running\n", all.Name))
		}
		return streams.Print(fmt.Sprintf("asked %s of %s to stop; they stop when their requests in flight are finished\n", humanize.Count(all.Running(), "worker"), all.Name))
	}
	return cmd
}

func crawlStatusCommand(streams *cli.Streams) *cobra.Command {
	var (
		f      sharedFlags
		format cli.Format
	)
	cmd := f.command("status", "Show the progress and the workers of a shared crawl",
		`Show the progress of a shared crawl and the state of each worker. NAME is the --crawl-name
of the crawl.`,
		"  politecrawl crawl status news --frontier redis://10.0.0.5")
	format.AddFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, cancel := context.WithTimeout(cmd.Context(), joinTime)
		defer cancel()
		all, stats, err := shared.Status(ctx, f.Frontier, f.options())
		if err != nil {
			return f.failure(err)
		}
		return streams.PrintAs(format, printedShared(all, stats), sharedText(all, stats))
	}
	return cmd
}

func crawlDeleteCommand(streams *cli.Streams) *cobra.Command {
	var f sharedFlags
	cmd := f.command("delete", "Delete a shared crawl from Redis",
		`Delete a shared crawl from Redis: its frontier, the delays of its hosts and their
robots.txt. The files of the workers stay, but they cannot be resumed. Stop the crawl
first; a crawl with running workers is not deleted. NAME is the --crawl-name of the crawl.`,
		"  politecrawl crawl delete news --frontier redis://10.0.0.5")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := redisstore.Delete(cmd.Context(), f.Frontier, f.options()); err != nil {
			return f.failure(err)
		}
		return streams.Print(fmt.Sprintf("deleted %s\n", f.CrawlName))
	}
	return cmd
}

// failure returns err with what the user can do about it.
func (f *sharedFlags) failure(err error) error {
	switch {
	case errors.Is(err, redisstore.ErrNotFound):
		return cli.Misuse("no crawl %q on %s", f.CrawlName, f.Frontier)
	case errors.Is(err, redisstore.ErrFull):
		return cli.Failed("%w: its maxmemory is used up, and this command needs memory too; raise it first", err)
	case errors.Is(err, redisstore.ErrInUse):
		return cli.Failed("%w; stop it first: politecrawl crawl stop %s --frontier %s (a worker that died counts as running for 30 seconds)", err, cli.ShellWord(f.CrawlName), cli.ShellWord(f.Frontier))
	}
	return cmp.Or(runner.RedisError(err), cli.Failed("%w", err))
}

// A PrintedCrawl is the progress of a shared crawl as JSON.
type PrintedCrawl struct {
	Name     string `json:"name"`
	Frontier string `json:"frontier"`
	Finished bool   `json:"finished"`
	Pages    int    `json:"pages"` // by all workers
	frontier.Counts
	Hosts   int             `json:"hosts"`
	Workers []printedWorker `json:"workers"`
}

type printedWorker struct {
	shared.Worker
	LastSeenAgoMS int64 `json:"last_seen_ago_ms"` // time since its last report
}

func printedShared(s *shared.Crawl, f frontier.Stats) PrintedCrawl {
	c := PrintedCrawl{
		Name: s.Name, Frontier: s.Frontier, Finished: f.Finished(), Pages: s.Pages(), Counts: f.Counts, Hosts: f.Hosts,
		Workers: []printedWorker{},
	}
	for _, w := range s.Workers {
		c.Workers = append(c.Workers, printedWorker{w, w.LastSeenAgo.Milliseconds()})
	}
	return c
}

// sharedText returns the progress of a shared crawl as text.
func sharedText(s *shared.Crawl, f frontier.Stats) string {
	var b strings.Builder
	state := humanize.Count(f.Pending+f.Scheduled+f.InFlight, "URL") + " remaining"
	if f.Finished() {
		state = "finished"
	}
	fmt.Fprintf(&b, "%s: %s, %s fetched, %s known on %s, %d in flight\n", s.Name, state, humanize.Count(s.Pages(), "page"), humanize.Count(f.URLs, "URL"), humanize.Count(f.Hosts, "host"), f.InFlight)
	for _, w := range s.Workers {
		fmt.Fprintf(&b, "  %-30s  %s, %s", w.Name, humanize.Count(w.Pages, "page"), workerState(w))
		if w.Dir != "" {
			fmt.Fprintf(&b, "; %s on %s", cli.Escape(w.Dir), cli.Escape(w.Machine))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func workerState(w shared.Worker) string {
	if w.Running {
		return "running"
	}
	return "not running, last seen " + humanize.ShortDuration(w.LastSeenAgo) + " ago"
}
