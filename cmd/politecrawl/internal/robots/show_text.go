package robots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
)

// A showPage is the text of a fileOutput.
type showPage struct{ cli.Page }

func newShowPage(paint cli.Painter) showPage { return showPage{cli.Page{Paint: paint}} }

// line writes a line of the file with its number. Number 0 is for text about the whole file.
func (p *showPage) line(number int, tint cli.Color, text string) {
	at := "      "
	if number > 0 {
		at = p.Paint(cli.Faint, fmt.Sprintf("%6d", number))
	}
	p.Printf("%s  %s\n", at, p.Paint(tint, cli.Escape(text)))
}

// text prints the file: first how it was fetched, then its groups, then the lines that belong to
// no group.
func (s fileOutput) text(paint cli.Painter) string {
	p := newShowPage(paint)
	p.head(s.From, s.Fetch, s.Truncated)
	for _, g := range s.Groups {
		p.group(g)
	}
	if len(s.Groups) == 0 && (s.Fetch == nil || s.Fetch.Outcome == "rules") {
		p.Printf("\nNo group: everything is allowed.\n")
	}
	if len(s.Sitemaps) > 0 {
		p.Printf("\nSitemaps:\n")
	}
	for _, m := range s.Sitemaps {
		p.line(m.Line, cli.Plain, m.URL)
	}
	if len(s.Other) > 0 {
		p.Printf("\nFields outside groups:\n")
	}
	for _, f := range s.Other {
		p.line(f.Line, cli.Plain, f.Field+": "+f.Value)
	}
	if len(s.Findings) > 0 {
		p.Printf("\nFindings (robots lint finds more):\n")
	}
	for _, f := range s.Findings {
		p.line(f.Line, cli.Yellow, fmt.Sprintf("%s: %s", f.Kind, cmp.Or(f.Text, f.Kind.Message())))
	}
	return p.String()
}

// A showLine is a line of a group.
type showLine struct {
	number int
	tint   cli.Color
	text   string
}

func (p *showPage) group(g groupOutput) {
	p.Printf("\nGroup %s:\n", cli.Escape(strings.Join(g.Agents, ", ")))
	if g.Omitted > 0 {
		p.Printf("        %s\n", p.Paint(cli.Yellow, fmt.Sprintf("%d rules and fields are not listed: too many groups overlap", g.Omitted)))
		return
	}
	if len(g.Rules) == 0 {
		p.Printf("        everything is allowed\n")
	}
	var lines []showLine
	for _, r := range g.Rules {
		tint := cli.Red
		if strings.HasPrefix(r.Rule, "Allow") {
			tint = cli.Green
		}
		lines = append(lines, showLine{r.Line, tint, r.Rule})
	}
	for _, f := range g.Fields {
		lines = append(lines, showLine{f.Line, cli.Plain, f.Field + ": " + f.Value})
	}
	slices.SortStableFunc(lines, func(a, b showLine) int { return cmp.Compare(a.number, b.number) })
	for _, l := range lines {
		p.line(l.number, l.tint, l.text)
	}
	if g.CrawlDelayMS > 0 {
		p.Printf("        %s between two requests\n", humanize.Delay(g.CrawlDelayMS))
	}
}

// head prints the name of the file, how it was fetched, and whether it is truncated.
func (p *showPage) head(from string, fetch *fetchOutput, cut bool) {
	p.Printf("%s\n", cli.Escape(cli.InputName(from)))
	if fetch != nil {
		p.fetch(fetch)
	}
	if cut {
		p.Printf("%s\n", p.Paint(cli.Yellow, "the file "+cutOff))
	}
}

// fetch writes how the file was fetched.
func (p *showPage) fetch(f *fetchOutput) {
	meaning := map[string]string{
		"rules":       p.Paint(cli.Green, "its rules apply"),
		"allow-all":   p.Paint(cli.Green, "there is no robots.txt, everything is allowed"),
		"unreachable": p.Paint(cli.Yellow, "unreachable, no URL may be fetched now"),
	}[f.Outcome]
	if f.Status != 0 {
		meaning += fmt.Sprintf(" (status %d)", f.Status)
	}
	p.Printf("%s\n", meaning)
	if f.Error != "" {
		p.Printf("  because: %s\n", cli.Escape(f.Error))
	}
	if len(f.Chain) > 1 {
		p.Printf("  redirected: %s\n", cli.Escape(strings.Join(f.Chain, " → ")))
	}
	for _, t := range []struct {
		what string
		at   time.Time
	}{
		{"fetched", f.FetchedAt},
		{"valid until", f.ExpiresAt},
		{"failing since", f.FailingSince},
		{"next retry", f.RetryAt},
	} {
		if !t.at.IsZero() {
			p.Printf("  %s: %s\n", t.what, humanize.Time(t.at))
		}
	}
}
