package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A printedReport is what "report" prints as JSON: where the report is, and what
// stands first in it.
type printedReport struct {
	HTML     string           `json:"html"`
	JSON     string           `json:"json"`
	Summary  report.Summary   `json:"summary"`
	Findings []report.Finding `json:"findings"`
	Notes    []string         `json:"notes"`
}

func (p *program) reportCommand() *cobra.Command {
	var (
		format outputFormat
		rows   int
	)
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write the report of a crawl again: what is there, what is broken, what was left alone",
		Long: `Read the files of a crawl and write report.html and report.json beside them. DIR is the
crawl's output directory. The crawl may have been stopped or be running: the report then
says so, and is of what had been written.

report.html needs no network and nothing but itself; report.json has the same for
programs. What is most important is printed.`,
		Example: `  politecrawl report example
  politecrawl report example --format json`,
		Args: arguments(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error {
			if rows < 1 {
				return misuse("report: --rows: %d is no number of rows; give 1 or more", rows)
			}
			dir := args[0]
			r, err := report.Write(dir, &report.Options{Rows: rows, Ending: endingOf(dir)})
			if err != nil {
				return reportError(dir, err)
			}
			html, data := filepath.Join(dir, report.HTMLFile), filepath.Join(dir, report.JSONFile)
			if format == formatJSON {
				return p.printJSON(printedReport{html, data, r.Summary, r.Findings, r.Notes})
			}
			return p.print(reportText(r, html, p.painter()))
		},
	}
	format.flag(cmd)
	cmd.Flags().IntVar(&rows, "rows", report.DefaultRows, "list at most `N` rows of each kind; the counts are exact")
	return cmd
}

// endingOf looks into the frontier of a crawl for what is left to do; nil: it has
// none that can be read.
func endingOf(dir string) *report.Ending {
	view, err := pebblestore.Inspect(filepath.Join(dir, frontierFolder))
	switch {
	case errors.Is(err, pebblestore.ErrInUse):
		return &report.Ending{End: report.EndRunning}
	case err != nil:
		return nil
	}
	totals, err := countFrontier(view, time.Now())
	if err := errors.Join(err, view.Close()); err != nil {
		return nil
	}
	return &report.Ending{Left: totals.Pending + totals.Scheduled}
}

// reportError says what to do about a directory of which no report can be made. All
// errors of package report begin with its name, as all of this command do.
func reportError(dir string, err error) error {
	err = withoutPrefix(errors.Unwrap(err))
	switch {
	case !isDirectory(dir):
		return misuse("report: there is no directory %q; name the output directory of a crawl", dir)
	case errors.Is(err, output.ErrNone):
		return misuse("report: %w; name the output directory of a crawl", err)
	}
	return failed("report: %w", err)
}

// reportText is a report for a person, in a few lines.
func reportText(r *report.Report, html string, paint painter) string {
	var b strings.Builder
	s := r.Summary
	fmt.Fprintf(&b, "%s: %s on %s, %s left alone\n", stateText(s), number(s.Pages, "page"), number(s.Hosts, "host"), number(s.Rejected, "URL"))
	names := map[report.Topic]string{
		report.OnPages: "pages", report.OnBroken: "broken", report.OnRobots: "robots.txt", report.OnSitemaps: "sitemaps",
	}
	colours := map[report.Level]colour{report.Bad: red, report.Warn: yellow, report.Good: green}
	last := report.Topic("")
	for _, f := range r.Findings {
		name := names[f.Topic]
		if f.Topic == last {
			name = ""
		}
		last = f.Topic
		fmt.Fprintf(&b, "  %-10s  %s\n", name, paint(colours[f.Level], printable(f.Text)))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  %-10s  %s\n", "note", note)
	}
	fmt.Fprintf(&b, "  %-10s  %s, and %s beside it\n", "report", printable(html), report.JSONFile)
	return b.String()
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
