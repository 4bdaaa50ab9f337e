package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingIsSkippedInCI holds that what skips a test asks testing.Short, so that make
// test-all runs it, or the operating system, or fails it where the environment has CI. A store
// tells package storetest itself what it does not have.
func TestNothingIsSkippedInCI(t *testing.T) {
	files, skips := token.NewFileSet(), 0
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(filepath.Dir(name), "storetest") {
			return err
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return nil // an example of something that is no Go
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && skipsAny(f) {
				skips++
				if !mentions(f, "testing.Short") && !mentions(f, "runtime.GOOS") && !mentions(f, `"CI"`) {
					t.Errorf("%s: %s skips tests in continuous integration, too", files.Position(f.Pos()), f.Name.Name)
				}
			}
		}
		return nil
	})
	if err != nil || skips < 20 {
		t.Errorf("%d functions skip tests: %v", skips, err)
	}
}

// skipsAny tells whether a function skips the test that it is called with.
func skipsAny(f *ast.FuncDecl) bool {
	return mentions(f, "t.Skip") || mentions(f, "t.Skipf") || mentions(f, "t.SkipNow") || mentions(f, "tb.Skip") || mentions(f, "tb.Skipf") || mentions(f, "b.Skip")
}

// mentions tells whether a function has an expression, of a name in a package, or a string.
func mentions(f *ast.FuncDecl, what string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			found = found || ok && x.Name+"."+n.Sel.Name == what
		case *ast.BasicLit:
			found = found || n.Value == what
		}
		return !found
	})
	return found
}
