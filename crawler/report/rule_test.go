package report

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FINDINGS.md has the table of rules between its first section and the section on rules of "politecrawl ci",
// which that command's package tests.
func TestFindingsDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	const first, last = "## links\n", "## politecrawl ci\n"
	intro, rest, _ := strings.Cut(string(text), first)
	_, end, found := strings.Cut(rest, last)
	if !found {
		t.Fatalf("FINDINGS.md lacks %q or %q", first, last)
	}
	var tables strings.Builder
	topic := ""
	for _, r := range rules {
		if r.Topic != topic {
			topic = r.Topic
			title := strings.Replace(topic, topicRobots, "robots.txt", 1)
			fmt.Fprintf(&tables, "## %s\n\n| rule | severity | meaning | what to do |\n|---|---|---|---|\n", title)
		}
		fmt.Fprintf(&tables, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.meaning, r.Fix)
	}
	want := intro + strings.ReplaceAll(tables.String(), "\n## ", "\n\n## ") + "\n" + last + end
	if *update {
		if err := os.WriteFile("FINDINGS.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("write FINDINGS.md with go test -run FindingsDocument -update (-rules +FINDINGS.md):\n%s", diff)
	}
}

func TestRulesAreComplete(t *testing.T) {
	known := make(map[string]bool)
	for _, r := range rules {
		if known[r.ID] || r.Title == "" || !strings.HasSuffix(r.Fix, ".") || !strings.HasSuffix(r.meaning, ".") || r.find == nil {
			t.Errorf("%+v", r.Rule)
		}
		known[r.ID] = true
	}
}
