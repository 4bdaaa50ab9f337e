package structure

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	doc.Dir = filepath.Join(root, "robotsext")
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
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
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
			selected := false
			for f := range testFunctions(filesIn(t, dir)) {
				selected = selected || strings.HasPrefix(f, kind) && pattern.MatchString(strings.TrimPrefix(f, kind))
			}
			if !selected {
				t.Errorf("%s: %q selects nothing in %s", name, m[0], dir)
			}
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands were found", commands)
	}
}

// TestThreats holds that the tests exist which THREATS.md says that its defences are held
// by, and that it says so of each.
func TestThreats(t *testing.T) {
	text := document(t, "crawler/THREATS.md")
	named := regexp.MustCompile("`(?:([a-z0-9/]+)\\.)?((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(text, -1)
	if len(named) < 50 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		folder, name := m[1], m[2]
		if testFunctions(filesIn(t, path.Clean(folder)))[name] == nil {
			t.Errorf("there is no test %s in the folder %q", name, folder)
		}
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) == 5 && strings.HasSuffix(heldBy(text, line), "tests") && !strings.Contains(cells[3], "`") {
			t.Errorf("nothing holds %s", line)
		}
	}
}

// heldBy returns the head of the last column of the table that a row stands in, or "" if
// the row is its head.
func heldBy(text, row string) string {
	table, _, _ := strings.Cut(text, row)
	if i := strings.LastIndex(table, "\n\n"); i >= 0 {
		table = table[i+2:]
	}
	head, rest, _ := strings.Cut(table, "\n")
	if rest == "" || strings.HasPrefix(row, "|---") {
		return ""
	}
	return strings.TrimRight(head, " |")
}

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
