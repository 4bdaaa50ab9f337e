// Package root assembles the program from its commands.
package root

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/archive"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/ci"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/compare"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/config"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawl"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/demo"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/frontier"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/heap"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/identity"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/man"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/permit"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/plan"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/report"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/robots"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/sitemap"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/version"
)

// Main runs the program, and exits.
func Main() {
	heap.Limit()
	log.SetOutput(io.Discard) // net/http shows there what sites send unasked
	streams := &cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(streams.Run(context.Background(), Command(streams), os.Args[1:]))
}

// Command returns the tree of commands. Each run needs its own, because cobra keeps the values
// of the flags in it.
func Command(streams *cli.Streams) *cobra.Command {
	commands := []*cobra.Command{
		robots.Command(streams),
		permit.Command(streams),
		sitemap.Command(streams),
		identity.Command(streams),
		version.Command(streams),
		crawl.Command(streams),
		plan.Command(streams),
		frontier.Command(streams),
		report.Command(streams),
		compare.Command(streams),
		archive.Command(streams),
		ci.Command(streams),
		demo.Command(streams),
		config.Command(streams),
		man.Command(streams),
		cli.ExitCodesTopic(),
		settings.Topic(),
	}
	return cli.NewRoot(streams, &cobra.Command{
		Use:   "politecrawl",
		Short: "Crawl websites politely, and explain robots.txt files",
		Long: `politecrawl crawls websites and obeys their robots.txt files, with a delay between two
requests to a host. It also checks and explains robots.txt files and sitemaps.`,
		Example: `  politecrawl demo                         crawl a demo site on this machine
  politecrawl crawl https://example.com/   crawl a site`,
	}, append(commands, crawl.Topics()...)...)
}
