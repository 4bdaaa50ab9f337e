// Package report writes the report of a crawl again: the command report.
package report

import (
	"errors"
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

// A Printed is what "report" prints as JSON: where the report is, and what
// stands first in it.
type Printed struct {
	HTML     string           `json:"html"`
	JSON     string           `json:"json"`
	Segments []report.Segment `json:"segments,omitempty"`
	Summary  report.Summary   `json:"summary"`
	Findings []report.Finding `json:"findings"`
	Notes    []string         `json:"notes"`
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
		Short: "Write the report of a crawl again: what is there, what is broken, what was left alone",
		Long: `Read the files of a crawl and write report.html and report.json beside them. DIR is the
crawl's output directory. The crawl may have been stopped or be running: the report then
says so, and is of what had been written.

Where several workers did one crawl, each into a directory of its own, name them all:
they are read as one crawl, in which each page counts once, and --output says where the
report goes. It says which workers are running or were killed, as far as their files
tell.

report.html needs no network and nothing but itself; report.json has the same for
programs. What is most important is printed.`,
		Example: `  politecrawl report example
  politecrawl report w1 w2 w3 --output all
  politecrawl report example --format json`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			if rows < 1 {
				return cli.Misuse("report: --rows: %d is no number of rows; give 1 or more", rows)
			}
			switch {
			case to != "":
			case len(dirs) > 1:
				return cli.Misuse("report: say where the report of several directories goes: %s", withOutput(dirs, "all"))
			default:
				to = dirs[0]
			}
			r, err := report.Make(dirs, &report.Options{Rows: rows, Ending: endingOf})
			if err != nil {
				return reportError(dirs, err)
			}
			if err := r.WriteFiles(to); err != nil {
				return unwritten(dirs, err)
			}
			html, data := filepath.Join(to, report.HTMLFile), filepath.Join(to, report.JSONFile)
			if format == cli.JSON {
				return streams.PrintJSON(Printed{html, data, r.Segments, r.Summary, r.Findings, r.Notes})
			}
			return streams.Print(reportText(r, html, streams.Painter()))
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().IntVar(&rows, "rows", report.DefaultRows, "list at most `N` rows of each kind; counts stay exact")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the report into `DIR` (default: the directory of the crawl)")
	return cmd
}

// withOutput is the command that writes the report of directories into another.
func withOutput(dirs []string, to string) string {
	words := []string{"politecrawl report"}
	for _, dir := range dirs {
		words = append(words, cli.ShellWord(dir))
	}
	return strings.Join(append(words, "--output "+to), " ")
}

// endingOf looks into the frontier of a crawl for what is left to do; nil: it has
// none that can be read, as that of several workers is elsewhere.
func endingOf(dir string) *report.Ending {
	frontier := filepath.Join(dir, crawldir.FrontierFolder)
	view, err := pebblestore.Inspect(frontier)
	if errors.Is(err, pebblestore.ErrForeign) && crawldir.IsDirectory(frontier) {
		var lock io.Closer
		if lock, err = pebblestore.Lock(frontier); err == nil {
			err = errors.Join(pebblestore.ErrForeign, lock.Close()) // nobody is at work here
		}
	}
	switch {
	case errors.Is(err, pebblestore.ErrInUse):
		return &report.Ending{End: report.EndRunning}
	case err != nil:
		return nil
	}
	left := 0
	for host, unread := range view.Hosts() {
		if err = unread; err != nil {
			break
		}
		left += host.Pending + host.Scheduled
	}
	if err := errors.Join(err, view.Close()); err != nil {
		return nil
	}
	return &report.Ending{Left: left}
}

// reportError says what to do about directories of which no report can be made.
func reportError(dirs []string, err error) error {
	for _, dir := range dirs {
		if !crawldir.IsDirectory(dir) {
			return cli.Misuse("report: there is no directory %q; name the output directory of a crawl", dir)
		}
		if _, unread := crawler.Saved(dir); crawldir.IsBadJSON(unread) || errors.Is(unread, output.ErrNone) && crawldir.HoldsFrontier(dir) {
			return crawldir.DamagedState("report", dir, "politecrawl report "+cli.ShellWord(dir), unread)
		}
	}
	switch {
	case errors.Is(err, output.ErrNone):
		return cli.Misuse("report: %w; name the output directory of a crawl", err)
	case errors.Is(err, report.ErrNotOneCrawl):
		return cli.Misuse("report: %w", err)
	}
	return cli.Failed("report: %w", err)
}

// unwritten says what to do about a report that cannot be written.
func unwritten(dirs []string, err error) error {
	const good = "; the files of the crawl are as they were"
	err = cli.QuotePath(err)
	if remedy := crawldir.Remedy(err); remedy != "" && !errors.Is(err, syscall.EROFS) {
		return cli.Failed("report: %w%s; %s, or write the report elsewhere: %s", err, good, remedy, withOutput(dirs, "DIR"))
	}
	return cli.Misuse("report: %w%s; write the report where that can be done: %s", err, good, withOutput(dirs, "DIR"))
}

// reportText is a report for a person, in a few lines.
func reportText(r *report.Report, html string, paint cli.Painter) string {
	p := cli.Page{Names: 10}
	s := r.Summary
	rejected := humanize.Count(s.Rejected, "URL")
	if len(r.Rejected.Inconclusive) > 0 {
		rejected = "at least " + rejected
	}
	p.Printf("%s: %s on %s, %s left alone\n", stateText(s), humanize.Count(s.Pages, "page"), humanize.Count(s.Hosts, "host"), rejected)
	if n := len(r.Segments); n > 0 {
		p.Field("files", "of %s, read as one crawl", humanize.Count(n, "worker"))
	}
	names := map[string]string{"pages": "pages", "broken": "broken", "robots": "robots.txt", "sitemaps": "sitemaps"}
	colours := map[report.Level]cli.Color{report.Bad: cli.Red, report.Warn: cli.Yellow, report.Good: cli.Green}
	last := ""
	for _, f := range r.Findings {
		name := names[f.Topic]
		if f.Topic == last {
			name = ""
		}
		last = f.Topic
		p.Field(name, "%s", paint(colours[f.Level], cli.Escape(f.Text)))
	}
	for _, note := range r.Notes {
		p.Field("note", "%s", cli.Escape(note))
	}
	p.Field("report", "%s, and %s beside it", cli.Escape(html), report.JSONFile)
	return p.String()
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
	return "not known whether finished"
}
