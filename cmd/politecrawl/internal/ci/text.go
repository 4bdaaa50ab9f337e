package ci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/comparetext"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// The summary has at most maxLines lines, and maxNotes of them are notes.
const (
	maxLines = 20
	maxNotes = 3
)

// text returns the summary of the gate. If there are more problems than lines, it names every rule
// first. Then each rule has at least one of its problems if there is room, and the first rules, which
// are the most severe, have the rest.
func (v *verdict) text(crawled string, files []string, paint cli.Painter) string {
	state := paint(cli.Green, "passed")
	if !v.Passed {
		state = paint(cli.Red, "failed")
	}
	parts := []string{v.counted()}
	if v.Fixed > 0 {
		parts = append(parts, humanize.Count(v.Fixed, "finding")+" fixed")
	}
	head := fmt.Sprintf("%s: %s; %s", state, strings.Join(parts, "; "), crawled)
	var foot []string
	for i, note := range v.Notes {
		if i == maxNotes {
			break
		}
		foot = append(foot, "  note: "+cli.Escape(note))
	}
	for _, file := range files {
		foot = append(foot, "  "+cli.Escape(file))
	}
	others := v.otherChanges
	if v.FailOn != failOnNew { // else the baseline has the findings of the report
		others = slices.Concat(v.otherFindings, v.otherChanges)
	}
	kinds := kindsText(others, paint)
	room := maxLines - 1 - len(foot) - len(kinds)
	var rows []string
	for _, p := range v.Problems {
		rows = append(rows, row(p, paint, 0))
	}
	if len(rows) > room || len(v.Problems) < v.Counts[report.SeverityError]+v.Counts[report.SeverityWarning] {
		var failing []report.Findings
		for _, problems := range v.byRule() {
			failing = append(failing, report.Findings{Rule: problems[0].rule, Total: v.totals[problems[0].Rule]})
		}
		named := kindsText(failing, paint)
		room -= len(named)
		rows = v.rulesText(room, paint)
		rows = append(append(named, kinds...), rows[:min(len(rows), room)]...)
	} else {
		rows = append(rows, kinds...)
	}
	return strings.Join(slices.Concat([]string{head}, rows, foot), "\n") + "\n"
}

// counted says how many problems there are, or how many other findings if there is no problem.
func (v *verdict) counted() string {
	count := func(counts map[report.Severity]int, what string, severities []report.Severity) string {
		var list []string
		for _, s := range severities {
			if n := counts[s]; n > 0 {
				list = append(list, humanize.Count(n, what+string(s)))
			}
		}
		return strings.Join(list, ", ")
	}
	if problems := count(v.Counts, map[threshold]string{failOnNew: "new "}[v.FailOn], bySeverity); problems != "" {
		return problems
	}
	none := map[threshold]string{failOnError: "no error", failOnWarning: "no error or warning", failOnNew: "no new error or warning"}[v.FailOn]
	if text := count(v.Others, "", bySeverity); text != "" {
		return none + ", " + text + map[threshold]string{failOnNew: " in all"}[v.FailOn]
	}
	if v.FailOn == failOnNew {
		return none
	}
	return "no error, warning or notice"
}

// kindsText names rules with the numbers of their findings, on a line for each severity.
func kindsText(kinds []report.Findings, paint cli.Painter) []string {
	var list []string
	for _, s := range bySeverity {
		var names []string
		for _, k := range kinds {
			if k.Severity == s {
				names = append(names, fmt.Sprintf("%s: %d", k.Title, k.Total))
			}
		}
		if len(names) > 0 {
			list = append(list, fmt.Sprintf("  %s  %s", paint(comparetext.Color(s), string(s)), strings.Join(names, "; ")))
		}
	}
	return list
}

// byRule returns the problems of each rule, in the order of v.Problems.
func (v *verdict) byRule() [][]problem {
	var list [][]problem
	for i, start := 1, 0; i <= len(v.Problems); i++ {
		if i == len(v.Problems) || v.Problems[i].Rule != v.Problems[start].Rule {
			list, start = append(list, v.Problems[start:i]), i
		}
	}
	return list
}

// rulesText returns lines for each rule, with its first problems. The last line of a rule counts the
// others. Spare lines beyond one for each rule go to the first rules.
func (v *verdict) rulesText(room int, paint cli.Painter) []string {
	rules := v.byRule()
	spare := max(room-len(rules), 0)
	var list []string
	for _, problems := range rules {
		shown := min(len(problems), 1+spare)
		spare -= shown - 1
		for n, p := range problems[:shown] {
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
	text := fmt.Sprintf("  %s  %s: %s", paint(comparetext.Color(p.Severity), string(p.Severity)), cli.Escape(at.String()), p.message())
	if more > 0 {
		text += fmt.Sprintf(", and on %s", humanize.Count(more, "other page"))
	}
	if others > 0 {
		text += fmt.Sprintf(", and %d more", others)
	}
	return text
}
