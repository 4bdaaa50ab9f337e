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

// text returns the summary of the gate. If not every problem has a line, each rule has one.
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
		rows = v.rulesText(paint)
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

// rulesText returns a line for each rule, with its first problem.
func (v *verdict) rulesText(paint cli.Painter) []string {
	var list []string
	for i := 0; i < len(v.Problems); {
		n := 1
		for i+n < len(v.Problems) && v.Problems[i+n].Rule == v.Problems[i].Rule {
			n++
		}
		list = append(list, row(v.Problems[i], paint, v.totals[v.Problems[i].Rule]-1))
		i += n
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
