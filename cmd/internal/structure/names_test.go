package structure

import (
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDocumentsNameWhatExists holds that what ARCHITECTURE.md and CONTRIBUTING.md have in `code` exists:
// commands, files, keys of crawl.yaml, tests, and identifiers as package.Name or package.Type.Member.
func TestDocumentsNameWhatExists(t *testing.T) {
	known, tests := declared(t)
	for _, name := range []string{"crawler/ARCHITECTURE.md", ".github/CONTRIBUTING.md"} {
		spans := regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(document(t, name), -1)
		if len(spans) < 40 {
			t.Errorf("%s names only %d things", name, len(spans))
		}
		for _, span := range spans {
			if !known[span[1]] && !tests[span[1]] && !isFile(span[1]) && !isKey(t, span[1]) && !isCommand(t, tests, span[1]) {
				t.Errorf("%s: %s does not exist", name, span[1])
			}
		}
	}
}

// isFile reports whether a path from the root, or from package crawler or its internal packages, exists.
func isFile(name string) bool {
	return slices.ContainsFunc([]string{"", "crawler", "crawler/internal"}, func(dir string) bool {
		_, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), filepath.FromSlash(name)))
		return err == nil
	})
}

func isKey(t *testing.T, name string) bool {
	return strings.Contains(document(t, "configs/crawl.yaml"), "\n"+name+":")
}

// isCommand reports whether text calls a target of the Makefile, or "go test" for a package, tests and
// a flag that exist.
func isCommand(t *testing.T, tests map[string]bool, text string) bool {
	if target, ok := strings.CutPrefix(text, "make "); ok {
		return strings.Contains(document(t, "Makefile"), "\n"+target+":")
	}
	m := regexp.MustCompile(`^go test \./(\S+)(?: -run (\w+))? -update$`).FindStringSubmatch(text)
	if m == nil {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(m[1]), "*_test.go")) // the pattern is valid
	updates := slices.ContainsFunc(files, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && (strings.Contains(string(text), `flag.Bool("update"`) || strings.Contains(string(text), `internal/doctest"`))
	})
	return updates && slices.ContainsFunc(slices.Collect(maps.Keys(tests)), func(test string) bool { return strings.Contains(test, m[2]) })
}

// TestPlacesAreFew holds that a thing is named where CONTRIBUTING.md says how to add one, and in no other
// file of Go.
func TestPlacesAreFew(t *testing.T) {
	const row, setting, use = "cmd/politecrawl/internal/flags/table.go", "crawler/setting.go", "crawler/runsettings.go"
	files := make(map[string]string)
	for _, file := range sources(t) {
		if !file.test {
			files[file.name] = file.text
		}
	}
	naming := func(folder string, texts ...string) (names []string) {
		for name, text := range files {
			if strings.HasPrefix(name, folder) && slices.ContainsFunc(texts, func(part string) bool { return strings.Contains(text, part) }) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	for _, tt := range []struct {
		what, folder string
		named        []string
		places       []string
	}{
		{"flag", "", []string{`"trap-pages"`, "Limits.TrapPages"}, []string{row, use, setting}},
		{"flag", "", []string{`"stall-timeout"`, "Fetch.StallTimeout"}, []string{row, use, setting}},
		{"flag", "", []string{`"sitemap-order"`, "Sitemaps.Order"}, []string{row, use, setting}},
		{"command", "", []string{`politecrawl/internal/permit"`}, []string{programParts + "root/root.go"}},
		{"command", "", []string{`politecrawl/internal/version"`}, []string{programParts + "root/root.go"}},
		{"output format", "cmd", []string{`"warc"`, `output/warc"`}, []string{programParts + "flags/formats.go"}},
		{"results file", "crawler", []string{`"permissions.jsonl"`}, []string{"crawler/internal/results/table.go", "crawler/output/files.go"}},
	} {
		if got := naming(tt.folder, tt.named...); !slices.Equal(got, tt.places) {
			t.Errorf("the %s %s is named in %q, want %q", tt.what, tt.named, got, tt.places)
		}
	}
	rules := 0
	for _, m := range regexp.MustCompile(`(?m)^\t\{Rule\{"([a-z0-9-]+)"`).FindAllStringSubmatch(strings.Join(slices.Collect(maps.Values(files)), "\n"), -1) {
		rules++
		if got := naming("crawler/report/", strconv.Quote(m[1])); len(got) != 1 {
			t.Errorf("the rule %s is named in %q", m[1], got)
		}
	}
	if rules < 40 {
		t.Errorf("only %d rules were found", rules)
	}
}

// declared returns what the packages declare, as package.Name or package.Type.Member, and the tests.
func declared(t *testing.T) (known, tests map[string]bool) {
	t.Helper()
	known, tests = make(map[string]bool), make(map[string]bool)
	for _, file := range sources(t) {
		for _, decl := range file.Decls {
			for _, name := range namesOf(decl) {
				known[file.Name.Name+"."+name] = true
				if file.test && strings.HasPrefix(name, "Test") {
					tests[name] = true
				}
			}
		}
	}
	return known, tests
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
				var members []*ast.Field
				switch of := s.Type.(type) {
				case *ast.InterfaceType:
					members = of.Methods.List
				case *ast.StructType:
					members = of.Fields.List
				}
				for _, m := range members {
					for _, id := range m.Names {
						names = append(names, s.Name.Name+"."+id.Name)
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
