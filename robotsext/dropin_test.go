package robotsext_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/testdata/dropin"
)

// TestDropIn runs testdata/dropin with the newest colly. It builds a program of it with older
// versions that are in use.
func TestDropIn(t *testing.T) {
	for _, err := range dropin.Run() {
		t.Error(err)
	}
	for _, version := range []string{"v2.1.0", "v2.2.0"} {
		t.Run(version, func(t *testing.T) {
			if testing.Short() {
				t.Skip("it builds a program with an older colly")
			}
			m := newModule(t)
			m.copy("main.go", "testdata/dropin/dropin.go")
			m.edit(filepath.Join(m.dir, "main.go"), func(s string) string {
				return strings.Replace(s, "package dropin", "package main", 1) + "\nfunc main() { fmt.Println(errors.Join(Run()...)) }\n"
			})
			m.run("go", "mod", "edit", "-require", collyPath+"@"+version)
			m.run("go", "mod", "tidy")
			if out := m.run("go", "run", "-race", "."); !strings.HasSuffix(out, "<nil>\n") {
				t.Error(out)
			}
		})
	}
}

// TestUnknownColly is about a colly that keeps its client where Attach does not find it:
// nothing is adopted, a collector that loses the gate sends no page, and a warning says so.
func TestUnknownColly(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program with another colly")
	}
	m := newModule(t)
	m.copy("main.go", "testdata/unknowncolly/main.go")
	source := m.collySource()
	m.edit(filepath.Join(source, "colly.go"), func(s string) string {
		return regexp.MustCompile(`\bbackend\b`).ReplaceAllString(s, "engine")
	})
	m.run("go", "mod", "edit", "-replace", collyPath+"="+source)
	m.run("go", "mod", "tidy")
	if out := m.run("go", "run", "."); !strings.HasSuffix(out, "ok\n") {
		t.Error(out)
	}
}

// TestCollysOwnSuite runs colly's tests with the line in NewCollector. Those that fail
// look at the text of an error, at the user agent, or at IgnoreRobotsTxt.
func TestCollysOwnSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and runs the tests of colly")
	}
	want := []string{
		"TestHeaders", "TestIgnoreRobotsWhenDisallowed", "TestNewCollector",
		"TestRobotsWhenDisallowed", "TestRobotsWhenDisallowedWithQueryParameter", "TestUserAgent",
	}
	m := newModule(t)
	m.dir = m.collySource()
	m.copy("attach_test.go", "testdata/collysuite/attach_test.go")
	m.edit(filepath.Join(m.dir, "colly.go"), func(s string) string {
		const settings = "\tc.parseSettingsFromEnv()\n\n\treturn c\n"
		if strings.Count(s, settings) != 1 {
			t.Fatal("NewCollector is not what it was")
		}
		return strings.Replace(s, settings, "\tc.parseSettingsFromEnv()\n\tAttach(c)\n\treturn c\n", 1) + "\nvar Attach func(*Collector)\n"
	})
	m.requireThis()
	m.run("go", "mod", "tidy")
	out, err := m.output("go", "test", "-v", ".")
	if err == nil {
		t.Error("all tests of colly pass: those that should not were not attached")
	}
	results := regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\w+)`).FindAllStringSubmatch(out, -1)
	var failed []string
	for _, result := range results {
		if result[1] == "FAIL" {
			failed = append(failed, result[2])
		}
	}
	slices.Sort(failed)
	if len(results) != 62 || !slices.Equal(failed, want) {
		t.Errorf("of %d tests of colly failed %q, want 62 and %q", len(results), failed, want)
	}
}

// oldestGo is the go directive of go.mod.
const oldestGo = "1.24.0"

// TestOldestVersions builds this module with the versions in its go.mod. Other tests use those
// of go.work, which are newer.
func TestOldestVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the module with another Go")
	}
	m := &module{t: t, dir: ".", env: append(os.Environ(), "GOTOOLCHAIN=go"+oldestGo, "GOWORK=off")}
	m.run("go", "build", "./...")
}

// TestLightModule adds the line to colly programs, and looks at what it costs.
func TestLightModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs in a module of their own")
	}
	const (
		added   = robotsPath + " v0.0.0"
		httpsfv = "github.com/dunglas/httpsfv v1.1.2"
	)
	for _, test := range []struct {
		colly string
		want  []string // requirements that go.mod gains or changes
		grows int64    // the most bytes that the program grows by
	}{
		{"v2.1.0", []string{httpsfv, added, "golang.org/x/net v0.1.0", "golang.org/x/text v0.4.0"}, 2 << 20}, // newer versions of colly import idna too
		{"v2.2.0", []string{httpsfv, added}, 1<<20 + 1<<17},
		{"v2.3.0", []string{httpsfv, added}, 1<<20 + 1<<17},
	} {
		t.Run(test.colly, func(t *testing.T) {
			m := newModule(t)
			m.env = append(m.env, "GOTOOLCHAIN=go"+oldestGo)
			m.copy("main.go", "testdata/light/without.go")
			m.edit(filepath.Join(m.dir, "main.go"), func(s string) string { return strings.TrimPrefix(s, "//go:build ignore\n") })
			m.run("go", "mod", "edit", "-go", oldestGo)
			m.run("go", "get", collyPath+"@"+test.colly)
			m.run("go", "mod", "tidy")
			before := m.cost()

			m.copy("main.go", "testdata/light/main.go")
			m.run("go", "mod", "edit", "-require", robotsPath+"@v0.0.0")
			m.run("go", "mod", "tidy")
			after := m.cost()

			t.Logf("go.mod: %d and %d requirements; %d and %d packages; %d and %d bytes",
				len(before.requirements), len(after.requirements), before.packages, after.packages, before.size, after.size)
			changed := slices.DeleteFunc(after.requirements, func(line string) bool { return slices.Contains(before.requirements, line) })
			slices.Sort(changed)
			if !slices.Equal(changed, test.want) {
				t.Errorf("in go.mod change %q, want %q", changed, test.want)
			}
			if after.language != before.language {
				t.Errorf("go.mod says %q, and said %q before", after.language, before.language)
			}
			if grown := after.size - before.size; grown > test.grows {
				t.Errorf("the program grows by %d bytes, want at most %d", grown, test.grows)
			}
		})
	}
}

// A cost is what a program takes to build.
type cost struct {
	requirements []string // of go.mod
	language     string   // the go directive
	packages     int      // linked
	size         int64    // bytes of the binary
}

// cost builds the module.
func (m *module) cost() (c cost) {
	m.t.Helper()
	file, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	wantOK(m.t, err)
	for _, line := range regexp.MustCompile(`(?m)^(?:require|\t)\s*([\w.~/-]+ v\S+)`).FindAllStringSubmatch(string(file), -1) {
		c.requirements = append(c.requirements, line[1])
	}
	c.language = regexp.MustCompile(`(?m)^go .*$`).FindString(string(file))
	c.packages = strings.Count(m.run("go", "list", "-deps", "."), "\n")
	m.run("go", "build", "-o", "program", ".")
	info, err := os.Stat(filepath.Join(m.dir, "program"))
	wantOK(m.t, err)
	c.size = info.Size()
	return c
}

const (
	robotsPath = "github.com/politecrawl/politecrawl/robotsext"
	collyPath  = "github.com/gocolly/colly/v2"
)

// A module is a program in a module of its own, which requires this module as it is here.
type module struct {
	t   *testing.T
	dir string
	env []string
}

// newModule makes a module without files.
func newModule(t *testing.T) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir(), env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")}
	m.run("go", "mod", "init", "example.com/program")
	m.requireThis()
	return m
}

// requireThis has the module find this one here.
func (m *module) requireThis() {
	m.t.Helper()
	here, err := os.Getwd()
	wantOK(m.t, err)
	m.run("go", "mod", "edit", "-replace", robotsPath+"="+here)
}

// collySource is a copy of colly's source.
func (m *module) collySource() string {
	m.t.Helper()
	here := &module{t: m.t, dir: ".", env: os.Environ()}
	cached := strings.TrimSpace(here.run("go", "list", "-m", "-f", "{{.Dir}}", collyPath))
	dir := m.t.TempDir()
	wantOK(m.t, os.CopyFS(dir, os.DirFS(cached)))
	return dir
}

// copy writes a file of testdata into the module.
func (m *module) copy(name, from string) {
	m.t.Helper()
	source, err := os.ReadFile(from)
	wantOK(m.t, err)
	wantOK(m.t, os.WriteFile(filepath.Join(m.dir, name), source, 0o600))
}

// edit changes a file.
func (m *module) edit(path string, change func(string) string) {
	m.t.Helper()
	source, err := os.ReadFile(path)
	wantOK(m.t, err)
	changed := change(string(source))
	if changed == string(source) {
		m.t.Fatalf("nothing changed in %s", path)
	}
	wantOK(m.t, os.WriteFile(path, []byte(changed), 0o600))
}

// output runs a command in the folder of the module.
func (m *module) output(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.t.Context(), name, args...)
	cmd.Dir, cmd.Env = m.dir, m.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// run is output for a command that must not fail.
func (m *module) run(name string, args ...string) string {
	m.t.Helper()
	out, err := m.output(name, args...)
	if err != nil {
		m.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}
