package report

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindingsDocumentsAllRules(t *testing.T) {
	text, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ ID, Severity, Topic, Fix string }
	var want, got []row
	for _, r := range rules {
		want = append(want, row{r.ID, string(r.Severity), r.Topic, r.Fix})
		if r.Title == "" || !strings.HasSuffix(r.Fix, ".") {
			t.Errorf("%+v", r)
		}
	}
	cells := regexp.MustCompile("^\\| `([a-z0-9-]+)` \\| (\\w+) \\| (.+\\.) \\| (.+\\.) \\|$")
	topic := ""
	ofReport, _, _ := strings.Cut(string(text), "## politecrawl ci") // whose package tests its rules
	for line := range strings.Lines(ofReport) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "## "); ok {
			topic = strings.TrimSuffix(name, ".txt")
		}
		if c := cells.FindStringSubmatch(line); c != nil {
			got = append(got, row{c[1], c[2], topic, c[4]})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("FINDINGS.md (-rules +documented):\n%s", diff)
	}
}

// The gate of a site must not depend on the load of the machine that runs it.
func TestSlowResponsesAreNotices(t *testing.T) {
	for _, r := range rules {
		if r.ID == rulePageSlow && r.Severity != SeverityNotice {
			t.Errorf("%s is of severity %s", r.ID, r.Severity)
		}
	}
}
