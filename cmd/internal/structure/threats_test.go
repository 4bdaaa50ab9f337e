package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreats holds that the tests exist which THREATS.md says that its defences are held
// by, and that it says so of each.
func TestThreats(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "crawler", "THREATS.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := make(map[string]map[string]bool) // by the folder of their package
	named := regexp.MustCompile("`(?:([a-z0-9/]+)\\.)?((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 50 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		folder, name := m[1], m[2]
		if tests[folder] == nil {
			tests[folder] = testsIn(t, filepath.Join(root, filepath.FromSlash(folder)))
		}
		if !tests[folder][name] {
			t.Errorf("there is no test %s in the folder %q", name, folder)
		}
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && strings.HasSuffix(heldBy(string(text), line), "tests") && !strings.Contains(cells[3], "`") {
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

// testsIn returns the tests and fuzz targets of the package in a folder.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}
