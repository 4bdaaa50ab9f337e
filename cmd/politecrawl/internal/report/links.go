package report

import (
	"context"
	"errors"
	"io/fs"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A linkingPage is the JSON output of "report --links-to" for a page. Text, Rel and Kind are empty unless the
// crawl lists links in full.
type linkingPage struct {
	Page string `json:"page"`
	Text string `json:"text,omitempty"`
	Rel  string `json:"rel,omitempty"`
	Kind string `json:"kind,omitempty"`
}

// printLinksTo prints the pages that link to a URL, or use it, as they are read. If there are none, it says so on
// standard error.
func printLinksTo(ctx context.Context, streams *cli.Streams, dirs []string, raw string, format cli.Format) error {
	target := ""
	_, err := site.ParseOrigin(raw)
	if err == nil {
		target, err = crawler.Canonical(raw)
	}
	if err != nil {
		return cli.Misuse("report: --links-to: %w", err)
	}
	printed := make(map[string]bool) // workers of a crawl may have a page twice
	for _, dir := range dirs {
		if _, err := crawler.LoadConfig(dir); err != nil {
			return crawldir.ReadError("report", dirs, err)
		}
	}
	for _, dir := range dirs {
		for page, err := range output.Read[output.Links](dir) {
			switch {
			case ctx.Err() != nil:
				return cli.ExitWith(cli.ExitInterrupted)
			case errors.Is(err, fs.ErrNotExist):
				return cli.Misuse("report: --links-to: the crawl in %q has no links.jsonl; crawl the site with --links=true", dir)
			case err != nil:
				return crawldir.ReadError("report", dirs, err)
			}
			for _, link := range append(page.To, page.Resources...) {
				if link.URL != target || printed[page.URL] {
					continue
				}
				printed[page.URL] = true
				text := cli.Escape(page.URL)
				if link.Text != "" {
					text += "\t" + cli.Escape(link.Text)
				}
				if err := streams.PrintAs(format, linkingPage{page.URL, link.Text, link.Rel, link.Kind}, text+"\n"); err != nil {
					return err
				}
			}
		}
	}
	if len(printed) == 0 {
		streams.Notice("no link to " + cli.Escape(target) + " is recorded; the report has redirects and sitemaps, and lines that were lost")
	}
	return nil
}
