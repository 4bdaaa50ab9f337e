package ci

import (
	"fmt"
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

func TestMessageOfAProblem(t *testing.T) {
	const page, other = "https://example.com/docs/", "https://example.com/gone"
	for _, tt := range []struct{ topic, want string }{
		{"canonical", fmt.Sprintf("T: %s → %s (status 404)", page, other)},
		{"sitemaps", fmt.Sprintf("T: %s (status 404) → %s", page, other)},
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
