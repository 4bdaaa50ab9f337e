package ci

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/report"
)

func TestFirstLineOfTheSummary(t *testing.T) {
	for fixed, want := range map[int]string{0: "failed: 6 errors; 2 pages\n", 1: "failed: 6 errors; 1 finding fixed; 2 pages\n", 5: "failed: 6 errors; 5 findings fixed; 2 pages\n"} {
		v := &verdict{FailOn: failOnError, Fixed: fixed, Counts: map[report.Severity]int{report.SeverityError: 6}}
		if got := v.text("2 pages", nil, func(_ cli.Color, text string) string { return text }); got != want {
			t.Errorf("%d fixed: %q, want %q", fixed, got, want)
		}
	}
}

// The gate says what it found beside the problems, and that it found nothing.
func TestOtherFindingsAreCounted(t *testing.T) {
	rule := func(s report.Severity, title string) report.Rule { return report.Rule{Severity: s, Title: title} }
	others := []report.Findings{
		{Rule: rule(report.SeverityWarning, "A"), Total: 1}, {Rule: rule(report.SeverityNotice, "B"), Total: 2}, {Rule: rule(report.SeverityNotice, "C"), Total: 3},
	}
	failing := problem{Rule: "r", Severity: report.SeverityError, Places: []place{{URL: "u"}}, rule: report.Rule{Title: "T"}}
	for name, tt := range map[string]struct {
		v    verdict
		want string
	}{
		"passed":         {verdict{Passed: true, FailOn: failOnError, otherFindings: others}, "passed: no error, 1 warning, 5 notices; 2 pages\n  warning  A: 1\n  notice  B: 2; C: 3\n"},
		"warnings fail":  {verdict{Passed: true, FailOn: failOnWarning, otherFindings: others[1:]}, "passed: no error or warning, 5 notices; 2 pages\n  notice  B: 2; C: 3\n"},
		"new ones fail":  {verdict{Passed: true, FailOn: failOnNew, otherFindings: others}, "passed: no new error or warning, 1 warning, 5 notices in all; 2 pages\n"},
		"changes":        {verdict{Passed: true, FailOn: failOnError, otherFindings: others[2:], otherChanges: others[:1]}, "passed: no error, 1 warning, 3 notices; 2 pages\n  warning  A: 1\n  notice  C: 3\n"},
		"small changes":  {verdict{Passed: true, FailOn: failOnNew, otherFindings: others[2:], otherChanges: others[1:2]}, "passed: no new error or warning, 5 notices in all; 2 pages\n  notice  B: 2\n"},
		"nothing":        {verdict{Passed: true, FailOn: failOnError}, "passed: no error, warning or notice; 2 pages\n"},
		"nothing at all": {verdict{Passed: true, FailOn: failOnWarning}, "passed: no error, warning or notice; 2 pages\n"},
		"nothing new":    {verdict{Passed: true, FailOn: failOnNew}, "passed: no new error or warning; 2 pages\n"},
		"failed": {
			verdict{FailOn: failOnError, Problems: []problem{failing}, Counts: map[report.Severity]int{report.SeverityError: 1}, otherFindings: others[:1]},
			"failed: 1 error; 2 pages\n  error  u: T: \n  warning  A: 1\n",
		},
	} {
		tt.v.Others = make(map[report.Severity]int)
		for _, f := range slices.Concat(tt.v.otherFindings, tt.v.otherChanges) {
			tt.v.Others[f.Severity] += f.Total
		}
		if got := tt.v.text("2 pages", nil, func(_ cli.Color, text string) string { return text }); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestMessageOfAProblem(t *testing.T) {
	const page, other = "https://example.com/docs/", "https://example.com/gone"
	for _, tt := range []struct{ topic, want string }{
		{"canonical", fmt.Sprintf("T: %s, canonical URL %s (status 404)", page, other)},
		{"redirects", fmt.Sprintf("T: %s → %s (status 404)", page, other)},
		{"sitemaps", fmt.Sprintf("T: %s (status 404), listed in %s", page, other)},
	} {
		p := problem{Finding: report.Finding{URL: page, Detail: "status 404", Related: other}, rule: report.Rule{Topic: tt.topic, Title: "T"}}
		if got := p.message(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.topic, got, tt.want)
		}
	}
}

// The pages that a robots.txt disallows are no further places of the finding.
func TestOtherPlacesOfAProblem(t *testing.T) {
	at := []place{{File: "public/robots.txt", Line: 2}}
	for line, want := range map[int]int{0: 2, 2: 0} {
		if _, more := (problem{Finding: report.Finding{Line: line, Pages: 3}, Places: at}).first(); more != want {
			t.Errorf("line %d: %d others, want %d", line, more, want)
		}
	}
}

// The summary fills its lines with problems, and counts the others of each rule. If not all have a
// line, it names all rules first.
func TestSummaryFillsItsLines(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rules []int // the problems of each
		want  []string
	}{
		{"all have a line", []int{3, 2}, []string{"0/0", "0/1", "0/2", "1/0", "1/1"}},
		{"one rule", []int{426}, append(numbered(0, 16), "0/16, and 409 more")},
		{"two rules", []int{426, 5}, append(numbered(0, 15), "0/15, and 410 more", "1/0, and 4 more")},
		{"a short one first", []int{2, 100}, append(append([]string{"0/0", "0/1"}, numbered(1, 14)...), "1/14, and 85 more")},
		{"more rules than lines", slices.Repeat([]int{1}, 30), []string{
			"0/0", "1/0", "2/0", "3/0", "4/0", "5/0", "6/0", "7/0", "8/0", "9/0", "10/0", "11/0", "12/0", "13/0", "14/0", "15/0", "16/0",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := &verdict{FailOn: failOnError, Counts: map[report.Severity]int{}, totals: map[string]int{}}
			var kinds []string
			for i, n := range tt.rules {
				id := fmt.Sprint("rule-", i)
				v.totals[id] = n
				v.Counts[report.SeverityError] += n
				kinds = append(kinds, fmt.Sprintf("T%d: %d", i, n))
				for j := range n {
					at := []place{{URL: fmt.Sprintf("%d/%d", i, j)}}
					v.Problems = append(v.Problems, problem{Rule: id, Severity: report.SeverityError, Places: at, rule: report.Rule{Severity: report.SeverityError, Title: fmt.Sprint("T", i)}})
				}
			}
			text := v.text("2 pages", []string{"report: r"}, func(_ cli.Color, text string) string { return text })
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			rows := lines[1 : len(lines)-1]
			if len(v.Problems) > len(tt.want) {
				if rows[0] != "  error  "+strings.Join(kinds, "; ") {
					t.Errorf("kinds: %q", rows[0])
				}
				rows = rows[1:]
			}
			var got []string
			for _, line := range rows {
				at, rest, _ := strings.Cut(strings.TrimPrefix(line, "  error  "), ":")
				_, more, ok := strings.Cut(rest, ", ")
				if ok {
					at += ", " + more
				}
				got = append(got, at)
			}
			if !slices.Equal(got, tt.want) || len(lines) > maxLines {
				t.Errorf("%d lines: %q, want %q", len(lines), got, tt.want)
			}
		})
	}
}

// numbered returns the first n problems of a rule.
func numbered(rule, n int) []string {
	var list []string
	for j := range n {
		list = append(list, fmt.Sprintf("%d/%d", rule, j))
	}
	return list
}
