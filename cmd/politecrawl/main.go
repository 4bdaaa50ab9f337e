// Command politecrawl crawls websites politely and explains robots.txt files.
//
//	politecrawl demo                          see a polite crawl, on this machine alone
//	politecrawl crawl https://example.com/    crawl a site
//	politecrawl plan https://example.com/     what a crawl of it would do
//	politecrawl report DIR…                   what a crawl found, as a page
//	politecrawl compare OLD NEW               what changed between two crawls
//	politecrawl ci URL…|FOLDER                fail if a site has faults or became worse
//	politecrawl frontier stats DIR            what a stopped crawl has left to do
//	politecrawl robots check URL…             may these URLs be fetched, and by which line?
//	politecrawl robots show URL               a robots.txt as it is understood
//	politecrawl robots agents URL             which well-known crawlers may fetch what
//	politecrawl robots diff OLD NEW           which URLs have got another verdict
//	politecrawl permit URL…                   what may these pages be used for?
//	politecrawl sitemap URL                   the pages that a site lists in its sitemaps
//	politecrawl identity init URL             a key to sign requests, and the files to publish
//
// Results go to standard output or to files, everything else to standard error;
// "politecrawl help exit-codes" lists what the exit code says.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/ci"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/compare"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/config"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawl"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/demo"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/frontier"
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

func main() {
	setHeapPolicy()
	log.SetOutput(io.Discard) // net/http shows there what sites send unasked
	streams := &cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(streams.Run(context.Background(), root(streams), os.Args[1:]))
}

// root builds the tree of commands. It is built anew for each run, because
// cobra keeps the values of the flags in it.
func root(streams *cli.Streams) *cobra.Command {
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
