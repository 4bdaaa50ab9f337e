package ci

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A threshold says which findings fail the gate.
type threshold string

// The thresholds.
const (
	failOnError   threshold = "error"   // errors
	failOnWarning threshold = "warning" // errors and warnings
	failOnNew     threshold = "new"     // errors and warnings that the baseline does not have
)

// startRule finds start URLs that were not fetched, without which the other findings say nothing.
var startRule = report.Rule{
	ID: "start-not-fetched", Severity: report.SeverityError, Topic: "pages",
	Title: "Start URLs that were not fetched", Fix: "Allow the URL in robots.txt, or correct what prevents the request.",
}

// incompleteRule finds crawls with URLs that remain: these may be broken.
var incompleteRule = report.Rule{
	ID: "crawl-incomplete", Severity: report.SeverityError, Topic: "pages", Title: "Crawls that ended before they had checked everything",
	Fix: "Raise the limit, or run the gate again. To check a part of a site, use --max-host-pages, --max-depth or --exclude, after which nothing remains.",
}

// A problem is a finding that fails the gate, or a change since the baseline that does.
type problem struct {
	Rule string `json:"rule"`
	report.Finding
	Severity report.Severity `json:"severity"`
	Places   []place         `json:"places"` // where it can be corrected

	rule report.Rule
}

// A verdict is the result of the gate.
type verdict struct {
	Passed   bool      `json:"passed"`
	FailOn   threshold `json:"fail_on"`
	Problems []problem `json:"problems"` // what fails the gate, the most severe first
	Fixed    int       `json:"fixed"`    // number of findings of the baseline that are fixed
	Notes    []string  `json:"notes"`    // files to which no crawled page links, and what could not be compared, and why

	// Counts are the numbers of problems by severity. Problems may list fewer, as the report does.
	Counts map[report.Severity]int `json:"counts"`

	// Others are the numbers of findings of the report and of changes that do not fail the gate, by severity.
	Others map[report.Severity]int `json:"others"`

	otherFindings []report.Findings // findings of the report that do not fail the gate, as they are in it; with --fail-on new all
	otherChanges  []report.Findings // changes since the baseline that do not fail the gate
	rules         []report.Rule     // that were checked
	totals        map[string]int    // problems by rule

	unreachable int // problems that hosts cause that were unreachable at the end of the crawl
}

// judge decides whether a crawl passes. Changes is nil without a baseline.
func judge(sum *runner.Summary, changes *compare.Comparison, failOn threshold, s *sources) (*verdict, error) {
	v := &verdict{FailOn: failOn, Problems: []problem{}, Notes: []string{}, Counts: map[report.Severity]int{}, Others: map[report.Severity]int{}, rules: []report.Rule{startRule, incompleteRule}, totals: map[string]int{}}
	started, waiting, err := unfetchedStarts(sum.Output)
	if err != nil {
		return nil, err
	}
	failing := []report.Findings{{Rule: startRule, Total: len(started), Rows: started}}
	if sum.Remaining > 0 {
		row := report.Finding{URL: sum.Found.Summary.URLs.Rows[0], Detail: fmt.Sprintf("%s: %s not fetched or checked", sum.End, humanize.Count(sum.Remaining, "URL"))}
		failing = append(failing, report.Findings{Rule: incompleteRule, Total: 1, Rows: []report.Finding{row}})
	}
	least := report.SeverityWarning
	if failOn == failOnError {
		least = report.SeverityError
	}
	for _, f := range sum.Found.Findings {
		v.rules = append(v.rules, f.Rule)
		if failOn != failOnNew && (f.Severity == report.SeverityError || f.Severity == least) {
			failing = append(failing, f)
		} else if f.Total > 0 {
			v.otherFindings = append(v.otherFindings, f)
			v.Others[f.Severity] += f.Total
		}
	}
	if changes != nil {
		v.Notes = append(v.Notes, changes.Notes...)
		v.rules = append(v.rules, compare.Rules()...)
		for _, f := range changes.Findings {
			v.Fixed += len(f.Fixed)
		}
		worse := changes.Regressions(least)
		for _, f := range changes.Changes {
			if !slices.ContainsFunc(worse, func(w report.Findings) bool { return w.ID == f.ID }) {
				v.otherChanges = append(v.otherChanges, f)
				v.Others[f.Severity] += f.Total
			}
		}
		for _, f := range worse {
			isChange := slices.ContainsFunc(changes.Changes, func(c report.Findings) bool { return c.ID == f.ID })
			if failOn == failOnNew || isChange {
				failing = append(failing, f)
			}
			if failOn == failOnNew && !isChange {
				v.Others[f.Severity] -= f.Total
			}
		}
	}
	maps.DeleteFunc(v.Others, func(_ report.Severity, n int) bool { return n == 0 })
	slices.SortStableFunc(failing, func(a, b report.Findings) int {
		return cmp.Compare(slices.Index(bySeverity, a.Severity), slices.Index(bySeverity, b.Severity))
	})
	for _, of := range failing {
		v.totals[of.ID] = of.Total
		v.Counts[of.Severity] += of.Total
		for _, f := range of.Rows {
			f.Detail = strings.TrimPrefix(f.Detail+s.reason(f.URL), ": ")
			v.Problems = append(v.Problems, problem{Rule: of.ID, Finding: f, Severity: of.Severity, Places: s.places(of.Rule, f), rule: of.Rule})
		}
	}
	if sum.End == crawler.EndDeferred {
		v.unreachable = waiting + v.totals[robotsUnreachable]
	}
	v.Passed = len(v.Problems) == 0
	return v, nil
}

// bySeverity are the severities, the most severe first.
var bySeverity = []report.Severity{report.SeverityError, report.SeverityWarning, report.SeverityNotice}

// robotsUnreachable is the rule of the report for unreachable hosts.
const robotsUnreachable = "robots-unreachable"

// unfetchedStarts returns the start URLs that the crawl skipped, and how many of them wait for their
// host.
func unfetchedStarts(dir string) (list []report.Finding, waiting int, err error) {
	for r, err := range output.Read[output.Rejection](dir) {
		if err != nil {
			return list, waiting, err
		}
		if r.Source == "start" {
			f := report.Finding{URL: r.URL, Detail: cmp.Or(r.Rule, r.Detail, string(r.Reason))}
			if strings.HasSuffix(r.RobotsURL, "/"+robotsFile) { // else it is a tdmrep.json
				f.Line = r.Line
			}
			list = append(list, f)
			if r.Reason == output.RobotsUnreachable || r.Reason == output.Deferred {
				waiting++
			}
		}
	}
	return list, waiting, nil
}
