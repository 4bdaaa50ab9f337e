// Package report has the command report, which writes the report of a crawl.
package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A Printed is the JSON output of "report": the paths of the files, and the main results.
type Printed struct {
	HTML       string             `json:"html"`
	JSON       string             `json:"json"`
	Workers    []report.Worker    `json:"workers,omitempty"`
	Summary    report.Summary     `json:"summary"`
	Highlights []report.Highlight `json:"highlights"`
	Notes      []string           `json:"notes"`
}

// Command returns the command "report".
func Command(streams *cli.Streams) *cobra.Command {
	var (
		format cli.Format
		rows   int
		to     string
	)
	cmd := &cobra.Command{
		Use:   "report DIR…",
		Short: "Write the report of a crawl: pages, broken URLs, redirects, skipped URLs, sitemaps",
		Long: `Read the output directory of a crawl and write report.html and report.json there. Print the
main results. If the crawl is stopped or running, the report covers what is written so far.

If several workers shared the crawl, name all their directories, and a directory for the
report with --output. Each page counts once. The report names workers that are running or
were killed.

report.html is one file that needs no network. report.json has the same data for programs.`,
		Example: `  politecrawl report example
  politecrawl report w1 w2 w3 --output all
  politecrawl report example --format json`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if rows < 1 {
				return cli.Misuse("report: --rows: %d is less than 1", rows)
			}
			switch {
			case to != "":
			case len(dirs) > 1:
				return cli.Misuse("report: several directories need --output: %s", withOutput(dirs, "all"))
			default:
				to = dirs[0]
			}
			r, err := report.Generate(dirs, &report.Options{Rows: rows, CrawlEnd: endingOf})
			if err != nil {
				return reportError(dirs, err)
			}
			if err := r.WriteFiles(to); err != nil {
				return writeError(dirs, err)
			}
			html, data := filepath.Join(to, report.HTMLFile), filepath.Join(to, report.JSONFile)
			if format == cli.JSON {
				return streams.PrintJSON(Printed{html, data, r.Workers, r.Summary, r.Highlights, r.Notes})
			}
			return streams.Print(reportText(r, html, streams.Painter()))
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().IntVar(&rows, "rows", report.DefaultRows, "show at most `N` rows in each list; counts stay exact")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the report into `DIR` (default: the directory of the crawl)")
	return cmd
}

// withOutput is the command that writes the report of directories into the directory to.
func withOutput(dirs []string, to string) string {
	words := []string{"politecrawl report"}
	for _, dir := range dirs {
		words = append(words, cli.ShellWord(dir))
	}
	return strings.Join(append(words, "--output "+to), " ")
}

// endingOf reads the number of remaining URLs from the frontier of a crawl; nil: the directory
// has no readable frontier, like that of one of several workers.
func endingOf(dir string) *report.CrawlEnd {
	frontier := filepath.Join(dir, crawldir.FrontierFolder)
	view, err := pebblestore.OpenReadOnly(frontier)
	if errors.Is(err, pebblestore.ErrNotFrontier) && crawldir.IsDirectory(frontier) {
		var lock io.Closer
		if lock, err = pebblestore.Lock(frontier); err == nil {
			err = errors.Join(pebblestore.ErrNotFrontier, lock.Close()) // no worker is running
		}
	}
	switch {
	case errors.Is(err, pebblestore.ErrInUse):
		return &report.CrawlEnd{End: report.EndRunning}
	case err != nil:
		return nil
	}
	remaining := 0
	for host, unread := range view.Hosts() {
		if err = unread; err != nil {
			break
		}
		remaining += host.Pending + host.Scheduled
	}
	if err := errors.Join(err, view.Close()); err != nil {
		return nil
	}
	return &report.CrawlEnd{Remaining: remaining}
}

// reportError explains why no report of the directories can be made, and what to do.
func reportError(dirs []string, err error) error {
	for _, dir := range dirs {
		if !crawldir.IsDirectory(dir) {
			return cli.Misuse("report: no directory %q; name the output directory of a crawl", dir)
		}
		if _, unread := crawler.LoadConfig(dir); crawldir.IsBadJSON(unread) || errors.Is(unread, output.ErrNoCrawl) && crawldir.HoldsFrontier(dir) {
			return crawldir.DamagedState("report", dir, "politecrawl report "+cli.ShellWord(dir), unread)
		}
	}
	switch {
	case errors.Is(err, output.ErrNoCrawl):
		return cli.Misuse("report: %w; name the output directory of a crawl", err)
	case errors.Is(err, report.ErrNotOneCrawl):
		return cli.Misuse("report: %w", err)
	}
	return cli.Failed("report: %w", err)
}

// writeError explains why the report cannot be written, and what to do.
func writeError(dirs []string, err error) error {
	const good = "; the files of the crawl are unchanged"
	err = cli.QuotePath(err)
	if remedy := crawldir.Remedy(err); remedy != "" && !errors.Is(err, syscall.EROFS) {
		return cli.Failed("report: %w%s; %s, or write the report elsewhere: %s", err, good, remedy, withOutput(dirs, "DIR"))
	}
	return cli.Misuse("report: %w%s; write the report elsewhere: %s", err, good, withOutput(dirs, "DIR"))
}

// reportText is the main results as text.
func reportText(r *report.Report, html string, paint cli.Painter) string {
	p := cli.Page{Names: 10}
	s := r.Summary
	rejected := humanize.Count(s.Rejected, "URL")
	if len(r.Rejected.Caveats) > 0 {
		rejected = "at least " + rejected
	}
	p.Printf("%s: %s, %s skipped, %s found\n", stateText(s), humanize.Count(s.Pages, "page"), rejected, humanize.Count(s.Hosts, "origin"))
	if n := len(r.Workers); n > 0 {
		p.Field("workers", "%d, read as one crawl", n)
	}
	names := map[string]string{"pages": "pages", "broken": "broken", "robots": "robots.txt", "sitemaps": "sitemaps"}
	colours := map[report.Level]cli.Color{report.Error: cli.Red, report.Warning: cli.Yellow, report.OK: cli.Green}
	last := ""
	for _, f := range r.Highlights {
		name := names[f.Topic]
		if f.Topic == last {
			name = ""
		}
		last = f.Topic
		p.Field(name, "%s", paint(colours[f.Level], cli.Escape(f.Text)))
	}
	p.Field("findings", "%s", findingsText(r.Findings))
	for _, note := range r.Notes {
		p.Field("note", "%s", cli.Escape(note))
	}
	p.Field("report", "%s and %s", cli.Escape(html), report.JSONFile)
	return p.String()
}

// findingsText counts findings by severity.
func findingsText(all []report.Findings) string {
	count := make(map[report.Severity]int)
	for _, f := range all {
		count[f.Severity] += f.Total
	}
	return fmt.Sprintf("%s, %s, %s", humanize.Count(count[report.SeverityError], "error"),
		humanize.Count(count[report.SeverityWarning], "warning"), humanize.Count(count[report.SeverityNotice], "notice"))
}

func stateText(s report.Summary) string {
	switch s.State {
	case report.Finished:
		return "finished"
	case report.Running:
		return "still running"
	case report.Stopped:
		return "not finished"
	}
	return "unknown whether finished"
}
