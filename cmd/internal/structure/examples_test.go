package structure

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// minComment is how many words a package comment has at the least: it is to teach the
// subject, not to name it.
const minComment = 50

// TestPackagesTeach holds that each package that others can import explains itself: by a
// package comment of substance, and by examples whose output is checked, each of them an
// answer to a question, which together call all of its functions.
func TestPackagesTeach(t *testing.T) {
	packages := 0
	for _, p := range listPackages(t) {
		// The last two need Chromium, and a server of Redis.
		if within(p.Path, "cmd", "examples", "crawler/browsertest", "crawler/frontier/redisstore") || slices.Contains(strings.Split(p.Path, "/"), "internal") {
			continue
		}
		packages++
		for _, lack := range lacks(t, p.Path, filesIn(t, p.Path)) {
			if within(p.Path, "crawler") && needsRedis.MatchString(lack) {
				continue
			}
			t.Errorf("%s: %s", p.Path, lack)
		}
	}
	if packages < 15 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

// needsRedis matches errors about functions for shared crawls: their examples would need a
// server.
var needsRedis = regexp.MustCompile(`\b(Example(JoinConfig|Stop) is not checked|calls (JoinConfig|Status|Stop))$`)

// exampleLines are the lengths that programs in examples must not exceed: they are to be read in one go, or copied.
var exampleLines = map[string]int{"attach": 39, "custom-sink": 69, "embed-crawler": 89, "minimal-crawler": 179, "sitemap-seeds": 49, "watch-robots": 99}

// TestExamplesStartWithAQuestion holds that each program in examples begins with the question that
// it answers, is short, and is tested.
func TestExamplesStartWithAQuestion(t *testing.T) {
	examples := 0
	for _, file := range sources(t) {
		if dir := path.Dir(file.name); path.Dir(dir) == "examples" && path.Base(file.name) == "main.go" {
			examples++
			if first, _, _ := strings.Cut(file.Doc.Text(), ". "); !strings.Contains(first, "?") {
				t.Errorf("%s does not begin with a question: %q", dir, first)
			}
			if n, limit := strings.Count(document(t, file.name), "\n"), exampleLines[path.Base(dir)]; limit > 0 && n > limit {
				t.Errorf("%s has %d lines, more than %d", dir, n, limit)
			}
			if len(testFunctions(filesIn(t, dir))) == 0 {
				t.Errorf("%s is not tested", dir)
			}
		}
	}
	if examples < 5 {
		t.Errorf("only %d examples were found", examples)
	}
}

// TestPackagesTeachCanFail shows it a package that lacks everything.
func TestPackagesTeachCanFail(t *testing.T) {
	var files []*ast.File
	for name, text := range map[string]string{
		"doc.go": "// Hats are nice.\npackage hat\n\nfunc New() {}\n\nfunc Old() {}\n\nfunc Seen() {}\n",
		"example_test.go": "package hat_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/hat\"\n)\n\n" +
			"// Hats are nice.\nfunc ExampleNew() {\n\thelp()\n\t// Output:\n}\n\nfunc help() { hat.New() }\n\n" +
			"// How old?\nfunc ExampleOld() { hat.Old() }\n\nfunc TestSeen(t *testing.T) { hat.Seen() }\n",
	} {
		file, err := parser.ParseFile(positions, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	want := []string{
		`its package comment does not begin with "Package hat "`,
		"its package comment has 3 words, which is too few to teach anything",
		"ExampleNew does not say which question it answers",
		"the output of ExampleOld is not checked",
		"no example with checked output calls Old",
		"no example with checked output calls Seen",
	}
	if diff := cmp.Diff(want, lacks(t, "example.com/hat", files)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// lacks returns a sentence for each thing that a reader of a package would miss.
func lacks(t *testing.T, path string, files []*ast.File) (missing []string) {
	t.Helper()
	pkg, err := doc.NewFromFiles(positions, files, path, doc.PreserveAST|doc.AllDecls)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(pkg.Doc, "Package "+pkg.Name+" ") {
		missing = append(missing, fmt.Sprintf("its package comment does not begin with %q", "Package "+pkg.Name+" "))
	}
	if n := len(strings.Fields(pkg.Doc)); n < minComment {
		missing = append(missing, fmt.Sprintf("its package comment has %d words, which is too few to teach anything", n))
	}
	called, helpers := make(map[string]bool), testFunctions(files)
	for _, e := range doc.Examples(files...) {
		switch {
		case e.Output == "" && !e.EmptyOutput:
			missing = append(missing, fmt.Sprintf("the output of Example%s is not checked", e.Name))
			continue
		case !strings.Contains(e.Doc, "?") && !strings.HasPrefix(e.Name, "_"): // such as Example_colly
			missing = append(missing, fmt.Sprintf("Example%s does not say which question it answers", e.Name))
		}
		maps.Copy(called, calls(e.Code, pkg.Name, helpers))
	}
	functions := pkg.Funcs
	for _, typ := range pkg.Types {
		functions = append(functions, typ.Funcs...)
	}
	slices.SortFunc(functions, func(a, b *doc.Func) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range functions {
		if ast.IsExported(f.Name) && !called[f.Name] && !forTests(f.Decl) {
			missing = append(missing, "no example with checked output calls "+f.Name)
		}
	}
	return missing
}

// calls returns what of a package a piece of code uses by name, itself or through
// helpers.
func calls(code ast.Node, pkg string, helpers map[string]*ast.FuncDecl) map[string]bool {
	used, seen := make(map[string]bool), make(map[string]bool)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == pkg {
				used[n.Sel.Name] = true
			}
		case *ast.Ident:
			if f := helpers[n.Name]; f != nil && !seen[n.Name] {
				seen[n.Name] = true
				ast.Inspect(f.Body, visit)
			}
		}
		return true
	}
	ast.Inspect(code, visit)
	return used
}

// forTests tells whether a function is given a test, which no example has: its example
// is a test.
func forTests(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "T" {
				return true
			}
		}
	}
	return false
}
