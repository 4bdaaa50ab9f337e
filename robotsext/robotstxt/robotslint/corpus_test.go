package robotslint

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// realFiles are robots.txt files of real sites, which lie beside the repository
// and are no part of it.
func realFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "robots-corpus", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("the real robots.txt files are missing: ../shared/robots-corpus")
		}
		t.Skip("the real robots.txt files are not here: ../shared/robots-corpus")
	}
	return files
}

// TestCorpus holds the table in the package documentation against what is found
// in real files. It logs the table as it has to be.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it lints all real robots.txt files")
	}
	type count struct{ files, findings int }
	counts := map[string]count{}
	files, clean := realFiles(t), 0
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		checkFindings(t, body)
		checkSource(t, body)
		in := map[string]int{}
		for _, f := range Lint(body, &Options{MaxPerKind: -1}) {
			in[string(f.Kind)+" "+string(f.Severity)]++
		}
		if len(in) == 0 {
			clean++
		}
		for what, n := range in {
			counts[what] = count{counts[what].files + 1, counts[what].findings + n}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "    of %d files %d are clean\n\n", len(files), clean)
	fmt.Fprintf(&table, "    %-20s %-8s %5s %8s\n", "kind", "severity", "files", "findings")
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		kind, severity, _ := strings.Cut(what, " ")
		fmt.Fprintf(&table, "    %-20s %-8s %5d %8d\n", kind, severity, counts[what].files, counts[what].findings)
	}
	t.Logf("\n%s", table.String())
	page, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, documented, _ := strings.Cut(string(page), "    of ")
	if diff := cmp.Diff(table.String(), "    of "+documented); diff != "" {
		t.Errorf("the table in FINDINGS.md is not what was counted (-counted +FINDINGS.md):\n%s", diff)
	}
}
