package ci

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// The summary has at most maxLines lines, and maxNotes of them are notes.
const (
	maxLines = 20
	maxNotes = 3
)

// text returns the summary of the gate. If there are more problems than lines, each rule has at least
// one, and the first rules, which are the most severe, have the rest.
func (v *verdict) text(crawled string, files []string, paint cli.Painter) string {
	var lines []string
	state := paint(cli.Green, "passed")
	if !v.Passed {
		state = paint(cli.Red, "failed")
	}
	var counts []string
	what := map[threshold]string{failOnNew: "new "}[v.FailOn]
	for _, s := range []report.Severity{report.SeverityError, report.SeverityWarning} {
		if n := v.Counts[s]; n > 0 {
			counts = append(counts, humanize.Count(n, what+string(s)))
		}
	}
	if len(counts) == 0 {
		counts = []string{map[threshold]string{failOnError: "no error", failOnWarning: "no error or warning", failOnNew: "no new error or warning"}[v.FailOn]}
	}
	parts := []string{strings.Join(counts, ", ")}
	if v.Fixed > 0 {
		parts = append(parts, humanize.Count(v.Fixed, "finding")+" fixed")
	}
	lines = append(lines, fmt.Sprintf("%s: %s; %s", state, strings.Join(parts, "; "), crawled))
	for i, note := range v.Notes {
		if i == maxNotes {
			break
		}
		lines = append(lines, "  note: "+cli.Escape(note))
	}
	for _, file := range files {
		lines = append(lines, "  "+cli.Escape(file))
	}
	room := maxLines - len(lines)
	rows := v.rows(paint)
	if len(rows) > room || len(v.Problems) < v.Counts[report.SeverityError]+v.Counts[report.SeverityWarning] {
		rows = v.rulesText(room, paint)
	}
	if len(rows) > room {
		more := len(rows) - room + 1
		rows = append(rows[:room-1], "  and "+humanize.Count(more, "more kind")+" of findings")
	}
	lines = append(lines[:1], append(rows, lines[1:]...)...)
	return strings.Join(lines, "\n") + "\n"
}

// rows returns a line for each problem.
func (v *verdict) rows(paint cli.Painter) []string {
	var list []string
	for _, p := range v.Problems {
		list = append(list, row(p, paint, 0))
	}
	return list
}

// rulesText returns lines for each rule, with its first problems. The last line of a rule counts the
// others. Spare lines beyond one for each rule go to the first rules.
func (v *verdict) rulesText(room int, paint cli.Painter) []string {
	var starts []int // of the rules in v.Problems
	for i, p := range v.Problems {
		if i == 0 || p.Rule != v.Problems[i-1].Rule {
			starts = append(starts, i)
		}
	}
	spare := max(room-len(starts), 0)
	var list []string
	for i, start := range starts {
		end := len(v.Problems)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		shown := min(end-start, 1+spare)
		spare -= shown - 1
		for n, p := range v.Problems[start : start+shown] {
			others := 0
			if n == shown-1 {
				others = v.totals[p.Rule] - shown
			}
			list = append(list, row(p, paint, others))
		}
	}
	return list
}

// row is the line of a problem. Others is the number of further problems of its rule.
func row(p problem, paint cli.Painter, others int) string {
	at, more := p.first()
	color := cli.Yellow
	if p.Severity == report.SeverityError {
		color = cli.Red
	}
	text := fmt.Sprintf("  %s  %s: %s", paint(color, string(p.Severity)), cli.Escape(at.String()), p.message())
	if more > 0 {
		text += fmt.Sprintf(", and on %s", humanize.Count(more, "other page"))
	}
	if others > 0 {
		text += fmt.Sprintf(", and %d more", others)
	}
	return text
}
