package structure

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// TestNothingIsSkippedInCI holds that what skips a test asks testing.Short, so that make
// test-all runs it, or the operating system, or fails it where the environment has CI. A store
// tells package storetest itself what it does not have.
func TestNothingIsSkippedInCI(t *testing.T) {
	skips := 0
	for _, file := range sources(t) {
		if strings.HasSuffix(path.Dir(file.name), "storetest") || !strings.Contains(file.text, ".Skip") {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && skipsAny(f) {
				skips++
				if !mentions(f, "testing.Short") && !mentions(f, "runtime.GOOS") && !mentions(f, `"CI"`) {
					t.Errorf("%s: %s skips tests in continuous integration, too", positions.Position(f.Pos()), f.Name.Name)
				}
			}
		}
	}
	if skips < 20 {
		t.Errorf("only %d functions skip tests", skips)
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
