package robots

import (
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// text returns the difference as text. It lists at most limit changes (all if it is 0),
// divided among the sections.
func (s diffOutput) text(paint cli.Painter, limit int) string {
	p := &diffPage{showPage: newShowPage(paint), limit: limit}
	if limit > 0 {
		p.share = max(limit/max(len(s.Agents), 1), 5)
	}
	p.Printf("old  %s\nnew  %s\n", cli.Escape(cli.InputName(s.Old)), cli.Escape(cli.InputName(s.New)))
	if !s.Changed {
		p.Printf("\nNo change: both files allow the same URLs.\n")
	}
	for _, a := range s.Agents {
		p.agentDiff(a, s.named)
	}
	if len(s.Sitemaps.Added)+len(s.Sitemaps.Removed) > 0 {
		p.Printf("\nSitemaps:\n")
	}
	p.sitemaps(s.Sitemaps.Removed, cli.Red, "- ", "old")
	p.sitemaps(s.Sitemaps.Added, cli.Green, "+ ", "new")
	if s.Changed {
		p.summary(s)
	}
	return p.String()
}

// A diffPage is the text of a diffOutput.
type diffPage struct {
	showPage
	limit, share int // of changes: on the page, of a section; 0 for no limit
	shown        int // changes so far
}

// room returns how many of n more changes fit.
func (p *diffPage) room(n int) int {
	if p.limit > 0 {
		n = max(min(n, p.share, p.limit-p.shown), 0)
	}
	p.shown += n
	return n
}

// namesOutput is the maximum number of agents above their changes.
const namesOutput = 20

func (p *diffPage) agentDiff(a agentDiffOutput, named bool) {
	n := p.room(a.count())
	if n == 0 {
		return
	}
	names := slices.Clone(a.Agents)
	if last := len(names) - 1; names[last] == "*" {
		names[last] = others(named)
	}
	most := len(names)
	if p.limit > 0 {
		most = namesOutput
	}
	p.Printf("\nFor %s:\n", cli.Escape(humanize.List(names, most)))
	changes := n
	if a.CrawlDelay != nil {
		changes--
	}
	for _, c := range a.Changes[:changes] {
		p.change(c)
	}
	if a.CrawlDelay != nil {
		p.delay(a.CrawlDelay)
	}
	if left := a.count() - n; left > 0 {
		p.Printf("%s\n", p.Paint(cli.Faint, fmt.Sprintf("  and %d more; --limit 0 lists all", left)))
	}
}

// others returns "*" in words.
func others(named bool) string {
	if named {
		return "any other agent"
	}
	return "every agent"
}

// count returns the number of changes.
func (a *agentDiffOutput) count() int {
	if a.CrawlDelay != nil {
		return len(a.Changes) + 1
	}
	return len(a.Changes)
}

// delay writes the change of Crawl-delay, and whether it has an effect.
func (p *diffPage) delay(d *delayDiffOutput) {
	const most = robotstxt.DefaultMaxCrawlDelay
	same := ""
	if min(d.OldMS, d.NewMS) >= most.Milliseconds() {
		same = fmt.Sprintf("  (politecrawl waits %v for both)", most)
	}
	p.Printf("  Crawl-delay: %s, now %s%s\n", humanize.Delay(d.OldMS), humanize.Delay(d.NewMS), same)
}

func (p *diffPage) sitemaps(list []robotstxt.Sitemap, tint cli.Color, sign, file string) {
	p.share = p.limit // they belong to no agent
	n := p.room(len(list))
	for _, m := range list[:n] {
		p.Printf("  %s  %s, line %d\n", p.Paint(tint, sign+cli.Escape(m.URL)), file, m.Line)
	}
	if left := len(list) - n; left > 0 {
		p.Printf("%s\n", p.Paint(cli.Faint, fmt.Sprintf("  and %d more; --limit 0 lists all", left)))
	}
}

// summary writes the number of changes, and whether all are listed.
func (p *diffPage) summary(s diffOutput) {
	changes, agents, star, sitemaps := 0, 0, false, len(s.Sitemaps.Added)+len(s.Sitemaps.Removed)
	for i := range s.Agents {
		changes += s.Agents[i].count()
		agents += len(s.Agents[i].Agents)
		star = star || slices.Contains(s.Agents[i].Agents, "*")
	}
	who := humanize.Count(agents, "agent")
	switch {
	case star && agents == 1:
		who = others(s.named)
	case star:
		who = humanize.Count(agents-1, "named agent") + " and for any other agent"
	}
	var parts []string
	if changes > 0 {
		parts = append(parts, fmt.Sprintf("%s for %s", humanize.Count(changes, "change"), who))
	}
	if sitemaps > 0 {
		parts = append(parts, humanize.Count(sitemaps, "change")+" to sitemaps")
	}
	text := strings.Join(parts, ", ")
	if p.shown < changes+sitemaps {
		text += fmt.Sprintf("; %d are listed, --limit 0 lists all", p.shown)
	}
	p.Printf("\n%s\n", text)
}

// exceptionsOutput is the maximum number of exceptions of a change in text.
const exceptionsOutput = 5

func (p *diffPage) change(c changeOutput) {
	tint := cli.Green
	if c.New.Verdict == disallowed {
		tint = cli.Red
	}
	p.Printf("  %s  %s, now %s\n", cli.Escape(c.Pattern), c.Old.Verdict, p.Paint(tint, c.New.Verdict))
	p.Printf("      old: %s\n      new: %s\n", cli.Escape(c.Old.text()), cli.Escape(c.New.text()))
	if c.Example != c.Pattern && c.Example+"$" != c.Pattern {
		p.Printf("      such as %s\n", cli.Escape(c.Example))
	}
	if len(c.Except) > 0 {
		p.Printf("      except %s\n", cli.Escape(humanize.List(c.Except, exceptionsOutput)))
	}
}

func (d decisionOutput) text() string {
	if d.Rule == "" {
		return "no rule matches"
	}
	word := "line"
	if len(d.Lines) > 1 {
		word = "lines"
	}
	return fmt.Sprintf("%s %s, %q", word, lineList(d.Lines, len(d.Lines)), d.Rule)
}

// lineList lists at most that many line numbers.
func lineList(lines []int, most int) string {
	words := make([]string, len(lines))
	for i, line := range lines {
		words[i] = fmt.Sprint(line)
	}
	return humanize.List(words, most)
}
