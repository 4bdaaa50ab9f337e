package sitemap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/report"
)

const writeName = "sitemap write"

// writeCommand returns the command "sitemap write".
func writeCommand(streams *cli.Streams) *cobra.Command {
	var (
		to   string
		gzip bool
	)
	cmd := &cobra.Command{
		Use:   "write DIR…",
		Short: "Write a sitemap of the pages of a crawl",
		Long: `Read the output directory of a crawl and write sitemap.xml there, with the indexable pages:
HTML pages with status 2xx, without noindex, and without another page as their canonical one.
Print the line that robots.txt needs.

The files belong at the root of the site. A sitemap of more than 50,000 URLs or 50 MiB becomes
an index, sitemap.xml, of sitemap-1.xml, sitemap-2.xml and so on. If the crawl has pages of
several origins, each gets a directory with a sitemap of its own.

lastmod is the Last-Modified header of a page, else the date in the site's own sitemap.
It is omitted if neither is plausible.

If several workers shared the crawl, name all their directories, and a directory for the
sitemap with --output.

The command replaces files with these names and removes none. It names unused files of an
earlier sitemap.

Exit code: 0 done, 2 usage error or the files cannot be written, 3 no page is indexable, or the
crawl is not finished or has lost data: then the sitemap may lack pages.`,
		Example: `  politecrawl sitemap write example --output public
  politecrawl sitemap write w1 w2 w3 --output public --gzip`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			switch {
			case to != "":
			case len(dirs) > 1:
				return cli.Misuse("%s: several directories need --output: %s", writeName, crawldir.WithOutput(writeName, dirs, "public"))
			default:
				to = dirs[0]
			}
			return write(cmd.Context(), streams, dirs, to, gzip)
		},
	}
	cmd.Flags().BoolVar(&gzip, "gzip", false, "compress the sitemaps, except an index")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the sitemap into `DIR` (default: the directory of the crawl)")
	return cmd
}

// write writes the sitemaps of a crawl into the directory to.
func write(ctx context.Context, streams *cli.Streams, dirs []string, to string, gzip bool) error {
	ctx, done := streams.Interruptible(ctx, func() {}, "interrupted: not every sitemap is written")
	defer done()
	pages, err := report.FindIndexable(ctx, dirs, &report.Options{CrawlEnd: crawldir.End})
	if err != nil {
		return crawldir.ReadError(writeName, dirs, err)
	}
	for _, caveat := range pages.Caveats {
		streams.Complain(fmt.Errorf("%s: the sitemap may lack pages: %s", writeName, caveat))
	}
	written, err := pages.WriteSitemaps(ctx, to, gzip)
	switch {
	case errors.Is(err, report.ErrNoPages):
		return cli.Failed("%s: %w, of %s; no sitemap was written", writeName, err, humanize.Count(pages.Fetched, "fetched page"))
	case err != nil:
		return crawldir.WriteError(writeName, "the sitemap", dirs, err)
	}
	if err := streams.Print(writtenText(written, pages.Fetched)); err != nil {
		return err
	}
	if pages.Incomplete {
		return cli.ExitWith(cli.ExitFailed)
	}
	return nil
}

// writtenText says what was written, and what to do with it.
func writtenText(written []report.WrittenSitemap, fetched int) string {
	p := cli.Page{Names: 10}
	urls := 0
	for _, s := range written {
		urls += s.URLs
	}
	p.Printf("%d of %s indexable\n", urls, humanize.Count(fetched, "fetched page"))
	for _, s := range written {
		files := ""
		if s.Files > 1 {
			files = fmt.Sprintf(" in %s", humanize.Count(s.Files, "file"))
		}
		p.Field("sitemap", "%s: %s%s", cli.Escape(s.Path), humanize.Count(s.URLs, "URL"), files)
		if len(s.Unused) > 0 {
			p.Field("unused", "files of an earlier sitemap, which you can remove: %s", cli.Escape(strings.Join(s.Unused, " ")))
		}
		p.Field("robots.txt", "add to %s/robots.txt: Sitemap: %s", cli.Escape(s.Origin), cli.Escape(s.URL))
	}
	return p.String()
}
