package robotsext_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every row of the specification has a test with its id in the name: of the function,
// TestROB_GEN_07, or of a subtest, "ROB-GEN-07/links". A comment or a message is no name.
func TestEveryRowHasATest(t *testing.T) {
	spec, err := os.ReadFile("robotstxt/testdata/spec.md")
	wantOK(t, err)
	rows := regexp.MustCompile(`(?m)^\| (ROB-[A-Z]+-\d+) \|`).FindAllStringSubmatch(string(spec), -1)
	if len(rows) < 150 {
		t.Fatalf("spec.md has %d rows: its form has changed", len(rows))
	}
	named := idsInTests(t, "..")
	for _, row := range rows {
		if id := row[1]; named[id] == "" {
			t.Errorf("%s: no test names it", id)
		}
	}
}

var rowID = regexp.MustCompile(`ROB[-_][A-Z]+[-_]\d+`)

// idsInTests maps the ids in the names of tests to one of their files. A subtest's name is
// a string that begins with an id and is not said to anybody.
func idsInTests(t *testing.T, root string) map[string]string {
	t.Helper()
	named := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.CallExpr:
				return !message(n)
			case *ast.BasicLit:
				if text := strings.Trim(n.Value, "\"`"); strings.HasPrefix(text, "ROB-") {
					name = text
				}
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "Test") && n.Recv == nil {
					name = n.Name.Name
				}
			}
			for _, id := range rowID.FindAllString(name, -1) {
				named[strings.ReplaceAll(id, "_", "-")] = path
			}
			return true
		})
		return nil
	})
	wantOK(t, err)
	return named
}

// message tells whether a call says something to who reads the output of a test.
func message(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf", "Skip", "Skipf"}, f.Sel.Name)
}
