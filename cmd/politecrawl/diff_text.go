package main

import (
	"fmt"
	"strings"
	"time"
)

// text is the difference for a person.
func (s shownDiff) text(paint painter) string {
	p := &showPage{paint: paint}
	p.printf("old  %s\nnew  %s\n", printable(inWords(s.Old)), printable(inWords(s.New)))
	if !s.Changed {
		p.printf("\nNo change: whatever was allowed is, and nothing else.\n")
	}
	for _, a := range s.Agents {
		p.agentDiff(a)
	}
	if len(s.Sitemaps.Added)+len(s.Sitemaps.Removed) > 0 {
		p.printf("\nSitemaps:\n")
	}
	for _, m := range s.Sitemaps.Removed {
		p.printf("  %s  old, line %d\n", paint(red, "- "+printable(m.URL)), m.Line)
	}
	for _, m := range s.Sitemaps.Added {
		p.printf("  %s  new, line %d\n", paint(green, "+ "+printable(m.URL)), m.Line)
	}
	return p.b.String()
}

func (p *showPage) agentDiff(a shownAgentDiff) {
	names := strings.Join(a.Agents, ", ")
	if before, ok := strings.CutSuffix(names, "*"); ok {
		names = before + "any other agent"
	}
	p.printf("\nFor %s:\n", printable(names))
	for _, c := range a.Changes {
		p.change(c)
	}
	if d := a.CrawlDelay; d != nil {
		p.printf("  Crawl-delay: %s → %s\n", seconds(d.Old), seconds(d.New))
	}
}

// shownExceptions is how many exceptions of a change are shown to a person.
const shownExceptions = 5

func (p *showPage) change(c shownChange) {
	tint := green
	if c.New.Verdict == disallowed {
		tint = red
	}
	p.printf("  %s  %s → %s\n", printable(c.Pattern), c.Old.Verdict, p.paint(tint, c.New.Verdict))
	p.printf("      old: %s\n      new: %s\n", printable(c.Old.text()), printable(c.New.text()))
	if c.Example != c.Pattern && c.Example+"$" != c.Pattern {
		p.printf("      such as %s\n", printable(c.Example))
	}
	if n := len(c.Except); n > 0 {
		except := strings.Join(c.Except[:min(n, shownExceptions)], ", ")
		if n > shownExceptions {
			except += fmt.Sprintf(" and %d more", n-shownExceptions)
		}
		p.printf("      except %s\n", printable(except))
	}
}

func (d shownDecision) text() string {
	if d.Rule == "" {
		return "no rule matches"
	}
	lines := make([]string, len(d.Lines))
	for i, line := range d.Lines {
		lines[i] = fmt.Sprint(line)
	}
	word := "line"
	if len(lines) > 1 {
		word = "lines"
	}
	return fmt.Sprintf("%s %s, %q", word, strings.Join(lines, ", "), d.Rule)
}

func seconds(s float64) string {
	if s == 0 {
		return "none"
	}
	return time.Duration(s * float64(time.Second)).String()
}
