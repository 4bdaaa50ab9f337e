// Package sitemap has the command sitemap, which lists and checks sitemaps.
package sitemap

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A listing is one run of "sitemap".
type listing struct {
	*cli.Streams
	check, stats bool // --check, --stats
	policy       sitemapPolicy
	probe        bool
	maxFiles     int
	flags        site.Flags
	format       cli.Format

	out     *cli.Streams // buffered: there may be millions of entries
	flush   func() error
	table   *csv.Writer // out as CSV; it has the same buffer
	watched bool        // show each entry at once
	headed  bool        // the table has its first line
	totals  sitemapTotals
	problem *fileProblem // of the last file with a finding
	code    int
}

// Command returns the command "sitemap".
func Command(streams *cli.Streams) *cobra.Command {
	l := &listing{Streams: streams}
	cmd := &cobra.Command{
		Use:   "sitemap URL|FILE|-",
		Short: "List the pages of sitemaps, and check sitemaps",
		Long: `List the pages of sitemaps, one URL per line. For the root of a site, such as
https://example.com/, the command reads all sitemaps that robots.txt lists. Any other URL
is read as a sitemap. The sitemaps in a sitemap index are read too. The command requests a
file only if the robots.txt of its origin allows it, waits for --delay or Crawl-delay between
two requests, and retries if the site is busy.

FILE is one sitemap or index; a FILE of - means standard input. For an index, the command
lists the sitemaps in it.

--check lists findings instead of pages: file, line, column, kind, what to write instead,
and the id of the requirement. It is strict: it finds what an XML parser or sitemaps.org
rejects, even if the command can read the file. Columns count bytes from 1.
--stats prints a summary.

With --policy listed, a sitemap may list pages of the sites whose robots.txt lists it or an index
above it, and pages below its own directory. With "directory", it may list only pages below its own
directory; with "any", all pages. The command omits other pages; --check reports them.

--format json writes an object for each page on a line of its own: loc, lastmod,
changefreq, priority, alternates, images, videos, news, sitemap (the URL of the sitemap)
and line. A finding of --check has sitemap, line, column, kind, text, error, fix and
id.

Exit code: 0 done, 1 no URL is listed, a sitemap is disallowed or not authorized, or --check has
findings, 2 usage error, 3 a sitemap could not be fetched or read to its end, or its address is
blocked, 4 robots.txt unreachable.`,
		Example: `  politecrawl sitemap https://example.com/ | politecrawl robots check -
  politecrawl sitemap https://example.com/sitemap.xml --format csv > pages.csv
  politecrawl sitemap --check --stats sitemap.xml.gz`,
		Args: cli.Args(1, 1, "one URL, file name or -"),
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	l.format.AddFlag(cmd, cli.CSV)
	flags.BoolVar(&l.check, "check", false, "list findings instead of pages")
	flags.BoolVar(&l.stats, "stats", false, "print a summary instead of pages")
	cli.Choice(cmd, &l.policy, "policy", "set which pages a sitemap may list", policyListed, policyDirectory, policyAny)
	flags.BoolVar(&l.probe, "probe", false, "request /sitemap.xml if robots.txt lists no sitemap")
	flags.IntVar(&l.maxFiles, "max-files", 1000, "read at most `N` sitemap files")
	l.flags.AddWithDelay(flags, "stop a robots.txt request, or a stalled sitemap, after `DURATION`")
	cmd.AddCommand(writeCommand(streams))
	return cmd
}

func (l *listing) run(ctx context.Context, arg string) error {
	if err := l.prepare(); err != nil {
		return err
	}
	list := l.file
	if strings.Contains(arg, "://") {
		list = l.site
	}
	err := list(ctx, arg)
	if err == nil {
		l.explainNothing(arg)
		err = l.finish()
	}
	if err := cmp.Or(err, l.flush()); err != nil {
		return err
	}
	return cli.ExitWith(l.code)
}

var errNoURL = errors.New("it lists no URL")

// explainNothing says why no URL was listed, if nothing has said it yet.
func (l *listing) explainNothing(arg string) {
	if l.check || l.stats || l.totals.Entries > 0 || l.code != cli.ExitDone {
		return
	}
	err := errNoURL
	if l.problem != nil {
		err = fmt.Errorf("%w: %w", err, &l.problem.Finding)
		arg = l.problem.file
	}
	l.fail(arg, err)
}

// prepare checks the command line before any request.
func (l *listing) prepare() error {
	if err := l.flags.Check("sitemap"); err != nil {
		return err
	}
	switch {
	case l.maxFiles < 1:
		return cli.Misuse("sitemap: --max-files: %d is less than 1", l.maxFiles)
	case l.stats && l.format == cli.CSV:
		return cli.Misuse("sitemap: --stats cannot be written as CSV; use --format text or json")
	}
	l.out, l.flush = l.Buffered()
	l.table, l.watched = csv.NewWriter(l.out.Out), cli.IsTerminal(l.Out)
	l.totals = sitemapTotals{Formats: map[sitemap.Format]int{}, Findings: map[string]int{}}
	return nil
}

// file lists one local file.
func (l *listing) file(_ context.Context, name string) error {
	in := l.In
	if name != cli.Stdin {
		f, err := os.Open(name)
		if err != nil {
			return cli.Misuse("%w; %s", cli.QuotePath(err), cli.FileHint)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	done := robotsext.SitemapFile{URL: name}
	var failure error
	opts := &sitemap.Options{
		Strict:    l.check,
		OnEnd:     func(s sitemap.Summary) { done.Summary = s },
		OnFinding: func(f sitemap.Finding) { failure = errors.Join(failure, l.finding(name, f)) },
	}
	for entry, err := range sitemap.Read(in, opts) {
		entry.File = name
		about, ofPath := errors.AsType[*fs.PathError](err)
		switch done.Err = err; {
		case ofPath: // a directory, say
			return cli.Misuse("%w; %s", cli.QuotePath(about), cli.FileHint)
		case err != nil:
			err = l.unread(done)
		default:
			err = l.entry(entry)
		}
		if err := errors.Join(failure, err); err != nil {
			return err
		}
	}
	l.done(done)
	return failure
}

// entry writes an entry, unless the command prints something else.
func (l *listing) entry(e sitemap.Entry) error {
	l.totals.addEntry(e)
	withoutUsers(&e)
	var err error
	switch {
	case l.check || l.stats:
		return nil
	case l.format == cli.JSON:
		err = l.out.PrintJSON(listedEntryOf(e))
	case l.format == cli.CSV:
		err = l.writeRow(entryCells(e))
	default:
		err = l.out.Print(cli.Escape(e.Loc) + "\n")
	}
	if l.watched && err == nil {
		err = l.flush()
	}
	return err
}

// writeRow writes a row of the table, or only the missing head if cells is nil.
func (l *listing) writeRow(cells []string) error {
	var err error
	if !l.headed {
		l.headed = true
		head := entryColumns
		if l.check {
			head = findingColumns
		}
		err = l.table.Write(head)
	}
	if cells != nil && err == nil {
		for i, cell := range cells {
			cells[i] = csvout.Cell(cell)
		}
		err = l.table.Write(cells)
	}
	if err != nil {
		return cli.Failed("cannot write the results: %w", err)
	}
	return nil
}
