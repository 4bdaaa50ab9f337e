package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documents returns the files of the project with this ending, by their paths with slashes.
func documents(t *testing.T, ending string) []string {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	var found []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != root && d.Name() != ".github") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ending) {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 10 {
		t.Fatalf("only %d files end in %s", len(found), ending)
	}
	return found
}

// document returns a file of the project, by its path with slashes.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocumentsAreShort holds the length of README.md, of package comments, and of what go doc shows of
// robotsext.
func TestDocumentsAreShort(t *testing.T) {
	most := map[string]int{"README.md": 200}
	for _, name := range documents(t, "doc.go") {
		most[name] = 60
	}
	for name, most := range most {
		if n := strings.Count(document(t, name), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
	}
	doc := exec.CommandContext(t.Context(), "go", "doc", "-all", ".")
	doc.Dir = filepath.Join("..", "..", "..", "robotsext")
	text, err := doc.Output()
	if n := strings.Count(string(text), "\n"); err != nil || n == 0 || n > 350 {
		t.Errorf("go doc -all of robotsext has %d lines, not 1 to 350: %v", n, err)
	}
}

// TestDocumentLinks holds that each link of a document leads to a file, and to a heading of it.
func TestDocumentLinks(t *testing.T) {
	code, link := regexp.MustCompile("(?s)```.*?```|`[^`]*`"), regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading, punctuation := regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\w\- ]`)
	for _, name := range documents(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(document(t, name), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("..", "..", "..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			var anchors []string
			if anchor != "" {
				for _, h := range heading.FindAllStringSubmatch(document(t, target), -1) {
					anchors = append(anchors, strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
				}
			}
			if anchor != "" && !slices.Contains(anchors, anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
}

// TestDocumentedBenchmarks holds that each "go test" command of a document selects a benchmark or
// test of its package.
func TestDocumentedBenchmarks(t *testing.T) {
	command := regexp.MustCompile(`(?m)\bgo test .*?(-bench|-v -run) '?([\w/$|]+)'?.* (\./?\S*)$`)
	commands := 0
	for _, name := range documents(t, ".md") {
		for _, m := range command.FindAllStringSubmatch(document(t, name), -1) {
			commands++
			kind, pattern := "Benchmark", regexp.MustCompile(strings.Split(m[2], "/")[0])
			if m[1] != "-bench" {
				kind = ""
			}
			dir := path.Dir(name)
			if m[3] != "." {
				dir = path.Join(".", m[3])
			}
			if !slices.ContainsFunc(functionsOfTests(t, dir), func(f string) bool {
				return strings.HasPrefix(f, kind) && pattern.MatchString(strings.TrimPrefix(f, kind))
			}) {
				t.Errorf("%s: %q selects nothing in %s", name, m[0], dir)
			}
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands were found", commands)
	}
}

// functionsOfTests returns the names of the functions in the test files of a folder.
func functionsOfTests(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, name := range documents(t, "_test.go") {
		if path.Dir(name) != dir {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, document(t, name), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}
