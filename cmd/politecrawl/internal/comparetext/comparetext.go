// Package comparetext opens and prints comparisons of crawls for commands.
package comparetext

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// Open reads a crawl that a user named. Its errors say what to name instead.
func Open(path string) (*compare.Crawl, error) {
	c, err := compare.Open(path)
	switch _, onDisk := errors.AsType[*fs.PathError](err); {
	case err == nil:
		return c, nil
	case errors.Is(err, output.ErrNoCrawl):
		return nil, cli.Misuse("%w; name the output directory of a crawl, or its report.json", err)
	case errors.Is(err, fs.ErrNotExist) && !crawldir.IsDirectory(path):
		return nil, cli.Misuse("no file or directory %q; name the output directory of a crawl, or its report.json", path)
	case onDisk:
		return nil, cli.Misuse("%w", cli.QuotePath(err))
	}
	return nil, cli.Misuse("%w", err)
}

// Text returns a comparison as text. It lists at most limit URLs of each rule, or all if limit is 0.
func Text(c *compare.Comparison, limit int, paint cli.Painter) string {
	p := &cli.Page{Names: 4, Paint: paint}
	side(p, "old", c.Old)
	side(p, "new", c.New)
	for _, note := range c.Notes {
		p.Field("note", "%s", cli.Escape(note))
	}
	var worse, fixed []report.Findings
	for _, f := range c.Findings {
		worse = append(worse, report.Findings{Rule: f.Rule, Rows: f.New})
		fixed = append(fixed, report.Findings{Rule: f.Rule, Rows: f.Fixed})
	}
	section(p, "New findings", worse, limit)
	section(p, "Changes", c.Changes, limit)
	if c.BodiesChanged > 0 {
		p.Printf("\nPages with another body: %d\n", c.BodiesChanged)
	}
	section(p, "Fixed findings", fixed, limit)
	if text := c.Unchanged(); text != "" {
		p.Printf("\n%s\n", text)
	}
	return p.String()
}

func side(p *cli.Page, name string, s compare.Side) {
	when := ""
	if !s.StartedAt.IsZero() {
		when = ", started " + humanize.Time(s.StartedAt)
	}
	p.Field(name, "%s: %s%s", cli.Escape(s.Path), humanize.Count(s.Pages, "page"), when)
}

// section writes the findings of rules below a title, unless there are none: at most limit of each rule.
func section(p *cli.Page, title string, rules []report.Findings, limit int) {
	total := 0
	for _, r := range rules {
		total += len(r.Rows)
	}
	if total == 0 {
		return
	}
	p.Printf("\n%s: %d\n", title, total)
	for _, r := range rules {
		if len(r.Rows) == 0 {
			continue
		}
		p.Printf("  %s  %s: %d [%s]\n", p.Paint(Color(r.Severity), string(r.Severity)), r.Title, len(r.Rows), r.ID)
		shown := len(r.Rows)
		if limit > 0 {
			shown = min(shown, limit)
		}
		for _, f := range r.Rows[:shown] {
			p.Printf("      %s\n", findingText(r.Rule, f))
		}
		if more := len(r.Rows) - shown; more > 0 {
			p.Printf("%s\n", p.Paint(cli.Faint, "      and "+humanize.Count(more, "more URL")+"; --limit 0 lists all"))
		}
	}
}

// Color returns the color of a severity.
func Color(s report.Severity) cli.Color {
	switch s {
	case report.SeverityError:
		return cli.Red
	case report.SeverityWarning:
		return cli.Yellow
	}
	return cli.Plain
}

// LeadsToRelated reports whether the related URL of a rule's findings is the target of a link or
// redirect. Then the text names it before the detail, such as a status, which is about the target.
func LeadsToRelated(r report.Rule) bool {
	return slices.Contains([]string{"links", "external", "assets", "canonical", "hreflang", "redirects"}, r.Topic)
}

// Arrow is the label of the target of a redirect.
const Arrow = "→"

// RelatedLabel says what the related URL of a rule's findings is.
func RelatedLabel(r report.Rule) string {
	switch {
	case r.Topic == "canonical":
		return "canonical URL"
	case r.Topic == "hreflang":
		return "hreflang URL"
	case r.ID == "title-duplicate", r.ID == "description-duplicate":
		return "same as"
	case r.ID == "sitemap-dropped":
		return "was listed in"
	case r.Topic == "sitemaps":
		return "listed in"
	case r.ID == "link-to-disallowed":
		return "by"
	case r.Topic == "robots":
		return "for"
	}
	return Arrow
}

// RelatedText returns what the related URL of a finding is, and the URL.
func RelatedText(r report.Rule, f report.Finding) string {
	return RelatedLabel(r) + " " + cli.Escape(f.Related)
}

// findingText returns a finding as one line.
func findingText(r report.Rule, f report.Finding) string {
	text := cli.Escape(f.URL)
	if f.Related != "" && LeadsToRelated(r) {
		text += "  " + RelatedText(r, f)
	}
	if r.ID == compare.RobotsDisallows || r.ID == compare.RobotsChanged {
		f.Line, f.FoundOn = 0, nil // the detail has the line, and the URL is on no page
	}
	var about []string
	if f.Detail != "" {
		about = append(about, cli.Escape(f.Detail))
	}
	if f.Line > 0 {
		about = append(about, fmt.Sprintf("line %d of robots.txt", f.Line))
	}
	if f.Related != "" && !LeadsToRelated(r) {
		about = append(about, RelatedText(r, f))
	}
	if len(f.FoundOn) > 0 {
		on := "on " + cli.Escape(f.FoundOn[0])
		if others := max(f.Pages, len(f.FoundOn)) - 1; others > 0 {
			on += " and " + humanize.Count(others, "other page")
		}
		about = append(about, on)
	}
	if len(about) == 0 {
		return text
	}
	return text + "  (" + strings.Join(about, "; ") + ")"
}
