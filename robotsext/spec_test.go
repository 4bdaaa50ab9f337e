package robotsext_test

import (
	"os"
	"strings"
	"testing"
)

// specTable returns the rows of a data block of the specification, each split
// into its trimmed cells.
func specTable(t *testing.T, name string) [][]string {
	t.Helper()
	spec, err := os.ReadFile("robotstxt/testdata/spec.md")
	wantOK(t, err)
	_, after, ok := strings.Cut(string(spec), "```data "+name+"\n")
	block, _, closed := strings.Cut(after, "```")
	if !ok || !closed {
		t.Fatalf("the specification has no table %s", name)
	}
	var rows [][]string
	for row := range strings.Lines(block) {
		cells := strings.Split(row, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		t.Fatalf("table %s is empty", name)
	}
	return rows
}
