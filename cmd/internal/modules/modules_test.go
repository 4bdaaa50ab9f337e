package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// committed is the repository of the tests: a program, a library that is a module of its own,
// and a module for tests.
var committed = map[string]string{
	"LICENSE":           "free",
	"go.mod":            "module example.com/tool\n\ngo 1.24.0\n\nrequire example.com/tool/robotsext v1.0.0\n",
	"go.sum":            "example.com/a v0.9.0 h1:x\nexample.com/a v0.10.0 h1:x\nexample.com/tool/robotsext v1.0.0 h1:old\nexample.com/z v0.9.0 h1:x\n",
	"go.work":           "go 1.24.0\n\nuse (\n\t.\n\t./robotsext\n)\n\nreplace example.com/tool/robotsext v1.0.0 => ./robotsext\n",
	"main.go":           "package main\n\nimport \"example.com/tool/robotsext\"\n\nfunc main() { println(robotsext.Name) }\n",
	"robotsext/go.mod":  "module example.com/tool/robotsext\n\ngo 1.24.0\n",
	"robotsext/name.go": "package robotsext\n\nconst Name = \"robotsext\"\n",
	"browser/go.mod":    "module example.com/tool/browser\n\ngo 1.24.0\n\nrequire example.com/tool/robotsext v1.0.0\n\nreplace example.com/tool/robotsext => ../robotsext\n",
	"browser/go.work":   "go 1.24.0\n\nuse .\n",
	"browser/page.go":   "package browser\n\nimport _ \"example.com/tool/robotsext\"\n",
}

// commit makes a repository with these files and the change, and returns its folder.
func commit(t *testing.T, change map[string]string) string {
	t.Helper()
	repo, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(committed)
	maps.Copy(files, change)
	for name, text := range files {
		path := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05+01:00")
	run(t, repo, "git", "init", "-q")
	run(t, repo, "git", "config", "user.name", "a")
	run(t, repo, "git", "config", "user.email", "a@example.com")
	run(t, repo, "git", "add", ".")
	run(t, repo, "git", "commit", "-q", "-m", "first")
	return repo
}

// TestInstall prepares a version, and installs the program and the library from the files of its tags.
func TestInstall(t *testing.T) {
	repo, proxy, cache := commit(t, nil), t.TempDir(), t.TempDir()
	t.Setenv("GOPROXY", "off") // the workspace needs no module of the version
	if out := run(t, repo, "go", "run", "."); out != "robotsext\n" {
		t.Errorf("before, the program prints %q", out)
	}
	if err := repository(repo).prepare("v1.2.3"); err != nil {
		t.Fatal(err)
	}
	if out := run(t, repo, "git", "grep", "--no-index", "-l", "v1.2.3"); out != "browser/go.mod\ngo.mod\ngo.sum\ngo.work\n" {
		t.Errorf("the version is in %q", out)
	}
	if out := run(t, repo, "git", "grep", "-F", "v1.0.0"); out != "" {
		t.Errorf("the old version is still in %s", out)
	}
	if out := run(t, repo, "git", "diff", "--stat", "go.sum"); !strings.Contains(out, "2 insertions(+), 1 deletion(-)") {
		t.Errorf("in go.sum changes %s", out)
	}
	for _, dir := range []string{"", "browser"} {
		run(t, filepath.Join(repo, dir), "go", "build", "-o", os.DevNull, ".")
	}
	run(t, repo, "git", "commit", "-q", "-a", "-m", "second")
	run(t, repo, "git", "tag", "v1.2.3")
	run(t, repo, "git", "tag", "robotsext/v1.2.3")
	if err := os.WriteFile(filepath.Join(repo, "main.go"), []byte("not committed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := repository(repo).write("v1.2.3", proxy); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GOPROXY": "file://" + proxy, "GONOSUMDB": "example.com", "GOMODCACHE": cache, "GOFLAGS": "-modcacherw", "GOBIN": cache, "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	run(t, cache, "go", "install", "example.com/tool@v1.2.3")
	if out := run(t, cache, filepath.Join(cache, "tool")); out != "robotsext\n" {
		t.Errorf("the program prints %q", out)
	}
	user := t.TempDir()
	run(t, user, "go", "mod", "init", "example.com/user")
	run(t, user, "go", "get", "example.com/tool/robotsext@v1.2.3")
	run(t, repo, "git", "checkout", "-q", ".")
	run(t, repo, "go", "build", "-mod=readonly", "-o", os.DevNull, ".") // by the sums of its own go.sum
	for name, holds := range map[string]string{
		"tool@v1.2.3/go.mod":            "require example.com/tool/robotsext v1.2.3\n",
		"tool@v1.2.3/robotsext":         "",
		"tool@v1.2.3/browser":           "",
		"tool/robotsext@v1.2.3/LICENSE": "free",
	} {
		text, err := os.ReadFile(filepath.Join(cache, "example.com", filepath.FromSlash(name)))
		if !strings.Contains(string(text), holds) || (err == nil) != (holds != "") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if out := run(t, user, "go", "list", "-m", "-f", "{{.Time.UTC}}", "example.com/tool/robotsext"); out != "2026-01-02 02:04:05 +0000 UTC\n" {
		t.Errorf("the library is of %s", out)
	}
}

// TestRefused holds which commits have no modules of the version v1.2.3.
func TestRefused(t *testing.T) {
	const mod = "module example.com/tool\n\ngo 1.24.0\n\nrequire example.com/tool/robotsext v1.2.3\n"
	both := []string{"v1.2.3", "robotsext/v1.2.3"}
	for _, tt := range []struct {
		change map[string]string
		tags   []string
		want   string
	}{
		{nil, nil, "the commit has no tag robotsext/v1.2.3"},
		{nil, both[1:], "the commit has no tag v1.2.3"},
		{nil, both, `go.mod does not require example.com/tool/robotsext@v1.2.3: run "make version VERSION=v1.2.3"`},
		{map[string]string{"go.mod": mod}, both, "go.sum lacks the sum of example.com/tool/robotsext@v1.2.3 as committed"},
		{map[string]string{"robotsext/go.mod": ""}, both, `malformed module path ""`},
	} {
		repo := commit(t, tt.change)
		for _, tag := range tt.tags {
			run(t, repo, "git", "tag", tag)
		}
		if err := repository(repo).write("v1.2.3", t.TempDir()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, %v: %v", tt.change, tt.tags, err)
		}
	}
	if err := repository(t.TempDir()).write("v1.2.3", t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("without a repository: %v", err)
	}
	if err := repository(commit(t, nil)).prepare("1.2"); err == nil || !strings.Contains(err.Error(), `version "1.2" is not like v1.2.3`) {
		t.Errorf("with a bad version: %v", err)
	}
}

// run runs a command in a folder and returns what it prints. git grep may find nothing.
func run(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil && !slices.Contains(command, "grep") {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}
