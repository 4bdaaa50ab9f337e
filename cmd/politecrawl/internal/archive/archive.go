// Package archive has the command archive, which packages and checks the WARC files of crawls.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/archive"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// Command returns the command "archive".
func Command(streams *cli.Streams) *cobra.Command {
	cmd := cli.Group(&cobra.Command{Use: "archive", Short: "Package and check the WARC files of crawls"})
	cmd.AddCommand(waczCommand(streams), checkCommand(streams))
	return cmd
}

func waczCommand(streams *cli.Streams) *cobra.Command {
	const name = "archive wacz"
	var (
		format cli.Format
		opts   archive.Options
		to     string
	)
	cmd := &cobra.Command{
		Use:   "wacz DIR…",
		Short: "Package the WARC files of crawls as one WACZ file, which players show",
		Long: `Write a WACZ file, which players such as replayweb.page show: the WARC files of a crawl and its recrawls, their
index, a list of the HTML pages with status 200 (none with noindex or noarchive), and the hash of each file. Name all
directories of a shared crawl. The crawls must have ended.

Exit code: 0 done, 2 usage error or the file cannot be written, 3 failed.`,
		Example: `  politecrawl archive wacz example
  politecrawl archive wacz w1 w2 w3 --text --output all.wacz`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if dir := filepath.Clean(dirs[0]); to == "" && len(dirs) == 1 && strings.Trim(dir, "./") != "" {
				to = dir + ".wacz"
			}
			if !strings.HasSuffix(to, ".wacz") { // so that it is no file of a crawl
				return cli.Misuse("%s: name the file with --output FILE.wacz; got %q", name, to)
			}
			for _, dir := range dirs {
				if !crawldir.IsDirectory(dir) {
					return cli.Misuse("%s: no directory %q; name the output directory of a crawl", name, dir)
				}
				if end := crawldir.End(dir); end != nil && end.End == report.EndRunning {
					return cli.Failed("%s: the crawl in %q is running; retry when it has ended", name, dir)
				}
			}
			ctx, done := streams.Interruptible(cmd.Context(), func() {}, "interrupted: no file is written")
			defer done()
			opts.Software = "politecrawl/" + cli.ReadBuild().Version
			packed, err := archive.Pack(ctx, to, dirs, &opts)
			about, ofPath := errors.AsType[*fs.PathError](err)
			switch {
			case err == nil:
				text := fmt.Sprintf("%s: %s, %s, %s\n", cli.Escape(to), humanize.Count(packed.Files, "WARC file"),
					humanize.Count(packed.Records, "indexed record"), humanize.Count(packed.Pages, "page"))
				return streams.PrintAs(format, packed, text)
			case errors.Is(err, context.Canceled):
				return cli.ExitWith(cli.ExitInterrupted)
			case errors.Is(err, io.ErrUnexpectedEOF):
				return cli.Failed("%s: %w; if the crawl was killed, resume it: politecrawl crawl --resume DIR", name, err)
			case errors.Is(err, archive.ErrNoWARC):
				return cli.Misuse("%s: %w; crawl with --also-write warc", name, err)
			case ofPath && about.Op == "open":
				return cli.Misuse("%s: %w", name, cli.QuotePath(err))
			}
			return cli.Failed("%s: %w", name, cli.QuotePath(err))
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().BoolVar(&opts.Text, "text", false, "add the text of the pages to their list, so that players can search it")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the WACZ into `FILE` (default: DIR.wacz)")
	return cmd
}

func checkCommand(streams *cli.Streams) *cobra.Command {
	var format cli.Format
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Check WARC and WACZ files: framing, fields, digests, index",
		Long: `Check WARC files (.warc.gz), with the index beside them (.cdxj), and WACZ files, of any program. Print each
problem: the file, the offset of the record in bytes, its WARC-Record-ID, and what is wrong. With --format json, it is
an object on a line.

Exit code: 0 no problem, 1 a file has problems, 2 usage error or a file cannot be opened.`,
		Example: "  politecrawl archive check example/*.warc.gz example.wacz",
		Args:    cli.Args(1, -1, "a WARC or WACZ file"),
		RunE: func(_ *cobra.Command, names []string) error {
			out, flush := streams.Buffered()
			records, problems, files, code := 0, 0, len(names), cli.ExitDone
			for _, name := range names {
				n, err := archive.Check(name, func(p *archive.Problem) {
					problems++
					code = cli.Worse(code, cli.ExitFindings)
					_ = out.PrintAs(format, p, cli.Escape(p.String())+"\n") // flush returns the error
				})
				if records += n; err != nil {
					code = cli.ExitMisuse
					files--
					streams.Complain(fmt.Errorf("archive check: %w", cli.QuotePath(err)))
				}
			}
			err := flush()
			if format == cli.Text && files > 0 {
				streams.Notice(fmt.Sprintf("%s in %s, %s", humanize.Count(records, "record"), humanize.Count(files, "file"), humanize.Count(problems, "problem")))
			}
			return cmp.Or(err, cli.ExitWith(code))
		},
	}
	format.AddFlag(cmd)
	return cmd
}
