// Package report has the command report, which writes the report of a crawl.
package report

import (
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/comparetext"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/compare"
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
		format  cli.Format
		rows    int
		to      string
		linksTo string
		serve   string

		baseline string
	)
	cmd := &cobra.Command{
		Use:   "report DIR…",
		Short: "Write the report of a crawl: pages, broken URLs, redirects, skipped URLs, sitemaps",
		Long: `Read the output directory of a crawl and write report.html and report.json there. Print the
main results. If the crawl is stopped or running, the report covers what is written so far.

If several workers shared the crawl, name all their directories, and a directory for the
report with --output. Each page counts once. The report names workers that are running or
were killed.

report.html is one file that needs no network. It has a table of the URLs (at most --rows), and a page for each.
report.json has the findings and counts for programs.

With --baseline, report.html also shows what changed since an earlier crawl, as politecrawl compare lists it.

With --serve, write no report: generate it, and serve it on this machine until interrupted. Its table has all URLs.
--rows limits only the other tables. A running crawl is shown as it was when the command started.

With --links-to, print the pages that link to a URL, and write no report. If the crawl ran with
--check assets, print those that use it as an image or the like too. With --links=full, the text
of the link follows after a tab.`,
		Example: `  politecrawl report example
  politecrawl report w1 w2 w3 --output all
  politecrawl report example --format json
  politecrawl report example --serve 127.0.0.1:8080
  politecrawl report example --links-to https://example.com/gone`,
		Args: cli.Args(1, -1, "the output directory of a crawl"),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if rows < 1 {
				return cli.Misuse("report: --rows: %d is less than 1", rows)
			}
			given := cmd.Flags().Changed
			for _, pair := range [...][2]string{{"serve", "output"}, {"serve", "links-to"}, {"serve", "format"}, {"links-to", "baseline"}} {
				if given(pair[0]) && given(pair[1]) {
					return cli.Misuse("report: --%s and --%s cannot be used together", pair[0], pair[1])
				}
			}
			var listener net.Listener // with --serve
			notice := "interrupted: the report is not written"
			switch {
			case given("serve"):
				var err error
				if listener, err = report.Listen(serve); err != nil {
					return cli.Misuse("report: --serve: %w", err)
				}
				defer listener.Close()
				notice = "" // an interrupt is how it ends
			case given("links-to"):
				return printLinksTo(cmd.Context(), streams, dirs, linksTo, format)
			case to != "":
			case len(dirs) > 1:
				return cli.Misuse("report: several directories need --output: %s", crawldir.WithOutput("report", dirs, "all"))
			default:
				to = dirs[0]
			}
			var before *compare.Crawl
			if baseline != "" {
				if len(dirs) > 1 {
					return cli.Misuse("report: --baseline needs the directory of a single crawl; compare the report.json of both with politecrawl compare")
				}
				var err error
				if before, err = comparetext.Open(baseline); err != nil {
					return fmt.Errorf("report: --baseline: %w", err)
				}
			}
			ctx, done := streams.Interruptible(cmd.Context(), func() {}, notice)
			defer done()
			r, err := report.Generate(ctx, dirs, &report.Options{Rows: rows, AllURLs: listener != nil, CrawlEnd: crawldir.End})
			if err != nil {
				return crawldir.ReadError("report", dirs, err)
			}
			if before != nil {
				after, err := compare.New(dirs[0], r)
				if err != nil {
					return crawldir.ReadError("report", dirs, err)
				}
				r.Changes = compare.Compare(before, after).List()
			}
			if listener != nil {
				streams.Notice("the report is at http://" + listener.Addr().String() + "/; Ctrl-C stops it")
				return r.Serve(ctx, listener)
			}
			if err := r.WriteFiles(ctx, to); err != nil {
				return crawldir.WriteError("report", "the report", dirs, err)
			}
			html, data := filepath.Join(to, report.HTMLFile), filepath.Join(to, report.JSONFile)
			printed := Printed{html, data, r.Workers, r.Summary, r.Highlights, r.Notes}
			return streams.PrintAs(format, printed, reportText(r, html, streams.Painter()))
		},
	}
	format.AddFlag(cmd)
	cmd.Flags().IntVar(&rows, "rows", report.DefaultRows, "show at most `N` rows in each list; counts stay exact")
	cmd.Flags().StringVar(&serve, "serve", "", "serve the report of all URLs at `HOST:PORT`, and write no report")
	cmd.Flags().StringVar(&linksTo, "links-to", "", "print the pages that link to `URL`, and write no report")
	cmd.Flags().StringVar(&baseline, "baseline", "", "show what changed since the earlier crawl in `DIR`")
	cmd.Flags().StringVarP(&to, "output", "o", "", "write the report into `DIR` (default: the directory of the crawl)")
	return cmd
}

// reportText is the main results as text.
func reportText(r *report.Report, html string, paint cli.Painter) string {
	p := cli.Page{Names: 10}
	s := r.Summary
	rejected := humanize.Count(s.Rejected, "URL")
	if len(r.Rejected.Caveats) > 0 {
		rejected = "at least " + rejected
	}
	p.Printf("%s: %s, %s skipped, %s found\n", stateText(s), humanize.Count(s.Pages, "page"), rejected, humanize.Count(s.Origins, "origin"))
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
