// Package archive has the command archive, which packages and checks the WARC files of crawls.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

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

const waczName = "archive wacz"

// A written is the JSON output of "archive wacz".
type written struct {
	File string `json:"file"`
	archive.Packed
}

func waczCommand(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		opts   archive.Options
		to     string
	)
	cmd := &cobra.Command{
		Use:   "wacz DIR…",
		Short: "Package the WARC files of crawls as one WACZ file, which players show",
		Long: `Read the output directory of a crawl with --also-write warc, and write a WACZ file: the WARC files, their
index, a list of the pages, and the hash of each file. Players such as replayweb.page show it.

The file has all crawls of a directory, recrawls too. If several workers shared the crawl, or to have several
crawls in one file, name all their directories, and the file with --output.

The list of pages has the HTML pages with status 200, with their titles, but no page whose content was withheld,
as with noindex. With --text, it has their text too, so that players can search it.

The crawls must have ended. Resume a crawl that was killed: its last record may be incomplete.

Exit code: 0 done, 2 usage error or the file cannot be written, 3 failed.`,
		Example: `  politecrawl archive wacz example
  politecrawl archive wacz w1 w2 w3 --text --output all.wacz`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			switch {
			case to != "":
			case len(dirs) > 1:
				return cli.Misuse("%s: several directories need --output FILE", waczName)
			default:
				to = filepath.Clean(dirs[0]) + ".wacz"
			}
			for _, dir := range dirs {
				if !crawldir.IsDirectory(dir) {
					return cli.Misuse("%s: no directory %q; name the output directory of a crawl", waczName, dir)
				}
				if end := crawldir.End(dir); end != nil && end.End == report.EndRunning {
					return cli.Failed("%s: the crawl in %q is running; retry when it has ended", waczName, dir)
				}
			}
			ctx, done := streams.Interruptible(cmd.Context(), func() {}, "interrupted: no file is written")
			defer done()
			opts.Software = "politecrawl/" + cli.ReadBuild().Version
			packed, err := archive.Pack(ctx, to, dirs, &opts)
			if err != nil {
				return packError(err)
			}
			text := fmt.Sprintf("%s: %s, %s, %s\n", cli.Escape(to), humanize.Count(packed.Files, "WARC file"),
				humanize.Count(packed.Records, "indexed record"), humanize.Count(packed.Pages, "page"))
			return streams.PrintAs(format, written{to, packed}, text)
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().BoolVar(&opts.Text, "text", false, "add the text of the pages to the list of pages")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the WACZ into `FILE` (default: DIR.wacz)")
	return cmd
}

// packError says what to do about an error.
func packError(err error) error {
	about, ofPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return cli.ExitWith(cli.ExitInterrupted)
	case errors.Is(err, archive.ErrNoWARC):
		return cli.Misuse("%s: %w; crawl with --also-write warc", waczName, err)
	case errors.Is(err, archive.ErrNames):
		return cli.Misuse("%s: %w; write a WACZ file of each directory", waczName, err)
	case errors.Is(err, archive.ErrDamaged):
		return cli.Failed("%s: %w; if the crawl was killed, resume it: politecrawl crawl --resume DIR", waczName, err)
	case ofPath && about.Op == "open":
		return cli.Misuse("%s: %w", waczName, cli.QuotePath(err))
	}
	return cli.Failed("%s: %w", waczName, cli.QuotePath(err))
}

const checkName = "archive check"

func checkCommand(streams *cli.Streams) *cobra.Command {
	var format cli.Format
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Check WARC and WACZ files: framing, fields, digests, index",
		Long: `Check WARC files (.warc.gz) and WACZ files, of any program. Print each problem: the file, the offset of the
record in bytes, its WARC-Record-ID, and what is wrong.

In a WARC file, each record must be a gzip member of its own, with the fields that the standard requires, the right
Content-Length, and digests (sha1, sha256) that match its bytes. If the index is beside the file (.cdxj), each line
must match its record, and each response must have a line.

In a WACZ file, the command also checks the ZIP file, the list and hashes in datapackage.json, and the order of the
index.

With --format json, a problem is an object on a line.

Exit code: 0 no problem, 1 a file has problems, 2 usage error, 3 a file cannot be read.`,
		Example: `  politecrawl archive check example/*.warc.gz
  politecrawl archive check example.wacz`,
		Args: cli.Args(1, -1, "a WARC or WACZ file"),
		RunE: func(_ *cobra.Command, names []string) error {
			out, flush := streams.Buffered()
			records, problems, code := 0, 0, cli.ExitDone
			for _, name := range names {
				var failed error
				n, err := archive.Check(name, func(p *archive.Problem) {
					problems++
					if failed == nil {
						failed = out.PrintAs(format, p, cli.Escape(p.String())+"\n")
					}
				})
				records += n
				if failed != nil {
					return failed
				}
				if err == nil {
					continue
				}
				worse := cli.ExitFailed
				if errors.Is(err, archive.ErrFormat) || errors.Is(err, fs.ErrNotExist) {
					worse = cli.ExitMisuse
				}
				code = cli.Worse(code, worse)
				streams.Complain(fmt.Errorf("%s: %w", checkName, cli.QuotePath(err)))
			}
			if problems > 0 {
				code = cli.Worse(code, cli.ExitFindings)
			}
			if err := flush(); err != nil {
				return err
			}
			if format == cli.Text {
				streams.Notice(fmt.Sprintf("%s in %s, %s", humanize.Count(records, "record"), humanize.Count(len(names), "file"), humanize.Count(problems, "problem")))
			}
			return cli.ExitWith(code)
		},
	}
	format.AddFlag(cmd)
	return cmd
}
