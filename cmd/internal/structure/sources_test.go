package structure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// root is the folder of the project.
var root = filepath.Join("..", "..", "..")

// files are the paths of the project's files, with slashes, but for those of testdata.
var files = sync.OnceValues(func() (found []string, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch hidden := strings.HasPrefix(d.Name(), ".") && name != "." && name != ".github"; {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || hidden):
			return fs.SkipDir
		case !d.IsDir():
			found = append(found, name)
		}
		return nil
	})
	return found, err
})

// documents returns the files of the project with this ending, by their paths with slashes.
func documents(t *testing.T, ending string) (found []string) {
	t.Helper()
	all, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasSuffix(name, ending) {
			found = append(found, name)
		}
	}
	if len(found) < 3 {
		t.Fatalf("only %d files end in %s", len(found), ending)
	}
	return found
}

// document returns a file of the project, by its path with slashes.
func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A source is a file of Go.
type source struct {
	*ast.File
	name, text string
	test       bool
}

// positions are those of all sources.
var positions = token.NewFileSet()

// parsed are the Go files of the project, by their paths. The tests read them once, and must not
// change them.
var parsed = sync.OnceValues(func() ([]source, error) {
	all, err := files()
	if err != nil {
		return nil, err
	}
	var list []source
	for _, name := range all {
		if path.Ext(name) != ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		list = append(list, source{file, name, string(text), strings.HasSuffix(name, "_test.go")})
	}
	return list, nil
})

// sources returns the Go files of the project.
func sources(t *testing.T) []source {
	t.Helper()
	list, err := parsed()
	if err != nil || len(list) < 100 {
		t.Fatalf("%d files of Go, %v", len(list), err)
	}
	return list
}

// filesIn returns the Go files of a folder.
func filesIn(t *testing.T, dir string) (list []*ast.File) {
	t.Helper()
	for _, file := range sources(t) {
		if path.Dir(file.name) == dir {
			list = append(list, file.File)
		}
	}
	return list
}

// testFunctions returns the functions of the test files among these.
func testFunctions(files []*ast.File) map[string]*ast.FuncDecl {
	found := make(map[string]*ast.FuncDecl)
	for _, file := range files {
		if !strings.HasSuffix(positions.Position(file.Pos()).Filename, "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				found[f.Name.Name] = f
			}
		}
	}
	return found
}

const modulePath = "github.com/politecrawl/politecrawl"

// goPackage is what the rules need of a package of this repository. Its paths are
// written relative to the root: "robotsext", "crawler/frontier".
type goPackage struct {
	Path  string
	Files map[string][]string // file name → imports; tests are not looked at
	Deps  []string            // all that the package is linked with, itself excepted
}

// packages are the packages of all modules.
var packages = sync.OnceValues(func() (list []goPackage, err error) {
	all, err := parsed()
	if err != nil {
		return nil, err
	}
	imports := make(map[string][]string)
	for _, file := range all {
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			imports[file.name] = append(imports[file.name], relative(name))
		}
	}
	names, err := files()
	var out []byte
	for _, name := range names {
		if path.Base(name) != "go.mod" {
			continue
		}
		cmd := exec.Command("go", "list", "-json=ImportPath,GoFiles,Deps", "./...")
		cmd.Dir = filepath.Join(root, filepath.FromSlash(path.Dir(name)))
		listed, err2 := cmd.Output()
		if failed, ok := errors.AsType[*exec.ExitError](err2); ok {
			return nil, fmt.Errorf("go list: %w: %s", err2, failed.Stderr)
		}
		err = errors.Join(err, err2)
		out = append(out, listed...)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); err == nil; {
		var p struct {
			ImportPath    string
			GoFiles, Deps []string
		}
		if err = dec.Decode(&p); err != nil {
			break
		}
		pkg := goPackage{Path: relative(p.ImportPath), Files: map[string][]string{}}
		for _, dep := range p.Deps {
			pkg.Deps = append(pkg.Deps, relative(dep))
		}
		for _, name := range p.GoFiles {
			pkg.Files[name] = imports[path.Join(pkg.Path, name)]
		}
		list = append(list, pkg)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
})

// listPackages returns the packages of all modules.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	list, err := packages()
	if err != nil || len(list) < 50 {
		t.Fatalf("%d packages, %v", len(list), err)
	}
	return list
}

func relative(path string) string { return strings.TrimPrefix(path, modulePath+"/") }
