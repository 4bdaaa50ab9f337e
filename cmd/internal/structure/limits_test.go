package structure

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLimitsAreDocumented holds that the table of limits in THREATS.md has the defaults of
// crawl.yaml and the values of the constants that it names, and each key that is a limit.
func TestLimitsAreDocumented(t *testing.T) {
	_, table, _ := strings.Cut(document(t, "crawler/THREATS.md"), "\n## The limits\n")
	table, _, _ = strings.Cut(table, "\n## ")
	keys := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+): (\S+)$`).FindAllStringSubmatch(document(t, "configs/crawl.yaml"), -1) {
		keys[m[1]] = m[2]
	}
	constants := constantsOfParts(t)
	var named []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 || cells[1] == "default" {
			continue
		}
		defaults := strings.Split(cells[1], "; ")
		names := strings.Fields(strings.ReplaceAll(cells[2], "`", ""))
		if len(names) != len(defaults) {
			t.Errorf("%q has %d defaults and %d names", cells[0], len(defaults), len(names))
			continue
		}
		for i, name := range names {
			named = append(named, name)
			value, known := keys[name], keys[name] != ""
			if strings.Contains(name, ".") {
				value, known = constants[name], constants[name] != ""
			}
			if !known || !same(t, value, defaults[i]) {
				t.Errorf("%q: %s is %s in the table, %q in the code", cells[0], name, defaults[i], value)
			}
		}
	}
	for key := range keys {
		if regexp.MustCompile(`^max-|-timeout$|^timeout$|^trap-pages$|^per-ip$`).MatchString(key) && !slices.Contains(named, key) {
			t.Errorf("the table of limits lacks %s", key)
		}
	}
}

// same tells whether a value of the code is a default in the table.
func same(t *testing.T, value, documented string) bool {
	t.Helper()
	if documented == "no limit" {
		return slices.Contains([]string{"0", "-1", "0s"}, value)
	}
	if value == documented { // such as 30s
		return true
	}
	for unit, size := range map[string]string{" KiB": "* 1024", " MiB": "* 1048576", "h": "* 3600000000000", "s": "* 1000000000"} {
		if text, ok := strings.CutSuffix(documented, unit); ok {
			documented = text + size
		}
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, strings.ReplaceAll(documented, ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	return v.Value.ExactString() == value
}

// constantsOfParts returns the numeric constants of the crawler and of robotsext, by the names of package and
// constant.
func constantsOfParts(t *testing.T) map[string]string {
	t.Helper()
	units := types.NewPackage("time", "time")
	for name, d := range map[string]time.Duration{"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		units.Scope().Insert(types.NewConst(token.NoPos, units, name, types.Typ[types.UntypedInt], constant.MakeInt64(int64(d))))
	}
	scope := types.NewPackage("limits", "limits")
	scope.Scope().Insert(types.NewPkgName(token.NoPos, scope, "time", units))
	found := make(map[string]string)
	for _, file := range sources(t) {
		if file.test || strings.HasPrefix(file.name, "cmd/") { // it has packages of the same names
			continue
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for i, value := range spec.Values {
					v, err := types.Eval(token.NewFileSet(), scope, token.NoPos, types.ExprString(value))
					if err == nil && v.Value != nil && v.Value.Kind() == constant.Int {
						found[fmt.Sprintf("%s.%s", file.Name.Name, spec.Names[i].Name)] = v.Value.ExactString()
					}
				}
			}
		}
	}
	return found
}
