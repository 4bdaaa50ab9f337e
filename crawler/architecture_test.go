package crawler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ARCHITECTURE.md names what exists: identifiers as package.Name or package.Type.Member, and files.
func TestArchitectureNamesWhatExists(t *testing.T) {
	known := declared(t, ".", "../robotsext")
	spans := regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(contentOf(t, "ARCHITECTURE.md")), -1)
	names := 0
	for _, span := range spans {
		switch name := span[1]; {
		case strings.Contains(name, "/"):
			found := false
			for _, dir := range []string{".", "internal", ".."} {
				_, err := os.Stat(filepath.Join(dir, name))
				found = found || err == nil
			}
			if !found {
				t.Errorf("%s does not exist", name)
			}
		case strings.Contains(name, "."):
			if names++; !known[name] {
				t.Errorf("%s is not declared", name)
			}
		}
	}
	if names < 40 {
		t.Errorf("only %d names were found", names)
	}
}

// declared returns the names that the packages below some folders declare.
func declared(t *testing.T, roots ...string) map[string]bool {
	t.Helper()
	known := make(map[string]bool)
	for _, root := range roots {
		must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				for _, name := range namesOf(decl) {
					known[file.Name.Name+"."+name] = true
				}
			}
			return nil
		}))
	}
	return known
}

// namesOf returns what a declaration declares, members as Type.Member.
func namesOf(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			of := d.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if generic, ok := of.(*ast.IndexExpr); ok {
				of = generic.X
			}
			if id, ok := of.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
				if i, ok := s.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						for _, id := range m.Names {
							names = append(names, s.Name.Name+"."+id.Name)
						}
					}
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}
