package crawler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// The processes of a shared crawl run on several machines, and each has its own credentials.
func TestProcessesDoNotShareWhatTheirMachineHas(t *testing.T) {
	shared, err := settingsOf(Default())
	must(t, err)
	for key, want := range map[string]bool{
		"urls": true, "delay": true, "max-pages": true, "allow-addr": true, "user-agent": true,
		"output": false, "concurrency": false, "proxy": false, "identity": false, "header": false, "basic-auth": false, "cookie-file": false, "frontier": false, "worker-name": false,
	} {
		if _, got := shared[key]; got != want {
			t.Errorf("%s: shared %v, want %v", key, got, want)
		}
	}
}

// Each field of a group of Config has its row in the table of settings.
func TestEachFieldHasItsRow(t *testing.T) {
	table := string(contentOf(t, "setting.go"))
	groups := map[string]*ast.StructType{}
	for _, name := range []string{"config.go", "permission.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					groups[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	fields := 0
	for _, group := range groups["Config"].Fields.List[1:] { // after URLs
		name := group.Names[0].Name
		for _, field := range groups[name].Fields.List {
			fields++
			if path := "&c." + name + "." + field.Names[0].Name + ","; strings.Count(table, path) != 1 {
				t.Errorf("%s is in %d rows", path, strings.Count(table, path))
			}
		}
	}
	if rows := len(new(Config).settings()); rows != fields+1 {
		t.Errorf("%d rows for %d fields and the start URLs", rows, fields)
	}
}

// Changes requeues URLs if a list has changed, or a limit was raised. It compares limits that are an int.
func TestRequeuingSettingsAreListsOrInts(t *testing.T) {
	for _, s := range new(Config).settings() {
		switch s.field.(type) {
		case *[]string, *int:
		default:
			if s.requeue != "" {
				t.Errorf("%s is a %T; teach Changes when such a value is raised", s.key, s.field)
			}
		}
	}
}
