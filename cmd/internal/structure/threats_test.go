package structure

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestThreats holds that the tests exist which THREATS.md says that its defences are held
// by, and that it says so of each.
func TestThreats(t *testing.T) {
	text := document(t, "crawler/THREATS.md")
	named := regexp.MustCompile("`(?:([a-z0-9/]+)\\.)?((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(text, -1)
	if len(named) < 50 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		folder, name := m[1], m[2]
		if testFunctions(filesIn(t, path.Clean(folder)))[name] == nil {
			t.Errorf("there is no test %s in the folder %q", name, folder)
		}
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && strings.HasSuffix(heldBy(text, line), "tests") && !strings.Contains(cells[3], "`") {
			t.Errorf("nothing holds %s", line)
		}
	}
}

// heldBy returns the head of the last column of the table that a row stands in, or "" if
// the row is its head.
func heldBy(text, row string) string {
	table, _, _ := strings.Cut(text, row)
	if i := strings.LastIndex(table, "\n\n"); i >= 0 {
		table = table[i+2:]
	}
	head, rest, _ := strings.Cut(table, "\n")
	if rest == "" || strings.HasPrefix(row, "|---") {
		return ""
	}
	return strings.TrimRight(head, " |")
}
