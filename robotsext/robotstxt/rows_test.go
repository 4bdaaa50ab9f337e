package robotstxt

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryRow fails when a requirement of the specification that is this
// package's has no subtest that bears its id.
func TestEveryRow(t *testing.T) {
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(source)
	}
	rows := regexp.MustCompile(`(?m)^\| (ROB-(FMT|GRP|UA|MAT|EXT)-\d+) \|`).FindAllStringSubmatch(specification(t), -1)
	if len(rows) < 80 {
		t.Fatalf("only %d rows found", len(rows))
	}
	for _, id := range []string{"ROB-SMP-01", "ROB-SMP-02", "ROB-SMP-03", "ROB-SMP-05", "ROB-SMP-06", "ROB-SMP-07", "ROB-SMP-08"} {
		rows = append(rows, []string{"", id})
	}
	for _, row := range rows {
		if !strings.Contains(tests.String(), `"`+row[1]+"/") {
			t.Errorf("%s has no test", row[1])
		}
	}
}
