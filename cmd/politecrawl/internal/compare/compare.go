// Package compare has the command compare, which says what changed between two crawls.
package compare

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/comparetext"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// Command returns the command "compare".
func Command(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		limit  int
		html   string
	)
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two crawls of a site: findings, pages, robots.txt, sitemaps",
		Long: `Compare two crawls of a site: findings that are new or fixed, pages that appeared, vanished,
or became noindex, disallowed, redirected or broken, pages that lost their content or have
another status, redirect target, content type, robots directive, title, h1, description or
body, changed canonical URLs, what changes to robots.txt mean, and URLs that the sitemaps list
now or no longer list. A finding about something that one of the crawls did not read is
neither new nor fixed: the notes say how many are not compared.

OLD and NEW are output directories of crawls. They can also be report.json files; for these,
only the findings are compared. A shared crawl has a directory for each worker: write one
report of all of them with "politecrawl report", and give its report.json.

If each crawl has one origin and the origins differ, pages with the same path are compared.

--format json writes one object with all changes, whatever --limit is. --html also writes
them as a page.

Exit code: 0 nothing is worse, 1 the new crawl has a new error or warning, 2 usage error,
3 failed.`,
		Example: `  politecrawl compare last-week today
  politecrawl compare last-week today --html changes.html`,
		Args: cli.Args(2, 2, "the output directories of two crawls"),
		RunE: func(_ *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Misuse("compare: --limit: %d is negative", limit)
			}
			var sides [2]*compare.Crawl
			for i, path := range args {
				var err error
				if sides[i], err = comparetext.Open(path); err != nil {
					return fmt.Errorf("compare: %w", err)
				}
			}
			c := compare.Compare(sides[0], sides[1])
			if html != "" {
				if err := writePage(c, html); err != nil {
					return err
				}
			}
			err := streams.PrintAs(format, c, comparetext.Text(c, limit, streams.Painter()))
			if err == nil && c.Worse(report.SeverityWarning) {
				err = cli.ExitWith(cli.ExitFindings)
			}
			return err
		},
	}
	cmd.Flags().SortFlags = false
	format.AddFlag(cmd)
	cmd.Flags().IntVar(&limit, "limit", 10, "list at most `N` URLs of each kind of change; 0: all")
	cmd.Flags().StringVar(&html, "html", "", "also write a page with the changes into `FILE`")
	return cmd
}

// writePage writes the comparison as a page.
func writePage(c *compare.Comparison, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return cli.Misuse("compare: --html: %w; choose a file that you can write to", cli.QuotePath(err))
	}
	if err := errors.Join(c.WriteHTML(file), file.Close()); err != nil {
		if _, onDisk := errors.AsType[*fs.PathError](err); onDisk {
			return cli.Failed("compare: --html: %w", cli.QuotePath(err))
		}
		return cli.Failed("compare: --html: cannot write %q: %w", path, err)
	}
	return nil
}
