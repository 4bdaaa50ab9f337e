package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repository is what TestInstall commits: a program, a library that is a module of its own,
// and a module for tests.
var repository = map[string]string{
	"LICENSE":         "free",
	"go.mod":          "module example.com/tool\n\ngo 1.24.0\n\nrequire example.com/tool/lib v0.0.0\n\nreplace example.com/tool/lib => ./lib\n",
	"go.sum":          "",
	"main.go":         "package main\n\nimport \"example.com/tool/lib\"\n\nfunc main() { println(lib.Name) }\n",
	"lib/go.mod":      "module example.com/tool/lib\n\ngo 1.24.0\n",
	"lib/lib.go":      "package lib\n\nconst Name = \"lib\"\n",
	"browser/go.mod":  "module example.com/tool/browser\n\ngo 1.24.0\n",
	"browser/page.go": "package browser\n",
}

// TestInstall installs a program from its modules, by the version that was asked for, by a
// tag, and by the pseudo-version of a commit without one.
func TestInstall(t *testing.T) {
	repo := t.TempDir()
	for name, text := range repository {
		path := filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := []string{"git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.com"}
	runIn(t, repo, nil, append(git, "init", "-q")...)
	runIn(t, repo, nil, append(git, "add", ".")...)
	runIn(t, repo, []string{"GIT_COMMITTER_DATE=2026-01-02T03:04:05+01:00"}, append(git, "commit", "-q", "-m", "first")...)
	if err := os.WriteFile(filepath.Join(repo, "main.go"), []byte("not committed"), 0o600); err != nil {
		t.Fatal(err)
	}
	revision := strings.TrimSpace(runIn(t, repo, nil, append(git, "rev-parse", "--short=12", "HEAD")...))
	install(t, repo, "", "v0.0.0-20260102020405-"+revision)
	install(t, repo, "v1.2.3", "v1.2.3")
	runIn(t, repo, nil, append(git, "tag", "v1.3.0")...)
	install(t, repo, "", "v1.3.0")
}

// install makes the modules and installs the program from them.
func install(t *testing.T, repo, version, want string) {
	t.Helper()
	dir, again := t.TempDir(), t.TempDir()
	for _, to := range []string{dir, again} {
		if err := run(t.Context(), repo, version, to); err != nil {
			t.Fatal(err)
		}
	}
	cache := t.TempDir()
	env := []string{"GOPROXY=file://" + dir, "GONOSUMDB=example.com", "GOMODCACHE=" + cache, "GOFLAGS=-modcacherw", "GOBIN=" + cache, "GOWORK=off"}
	runIn(t, cache, env, "go", "install", "example.com/tool@"+want)
	if out := runIn(t, cache, nil, filepath.Join(cache, "tool")); out != "lib\n" {
		t.Errorf("%s prints %q", want, out)
	}
	for name, holds := range map[string]string{
		"tool@" + want + "/go.sum":      "example.com/tool/lib " + want + "/go.mod h1:",
		"tool/lib@" + want + "/LICENSE": "free",
		"tool/lib@" + want + "/browser": "",
		"tool@" + want + "/lib":         "",
		"tool@" + want + "/browser":     "",
	} {
		text, err := os.ReadFile(filepath.Join(cache, "example.com", filepath.FromSlash(name)))
		if !strings.Contains(string(text), holds) || (err == nil) != (holds != "") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	at := filepath.Join("example.com", "tool", "@v", want)
	var info struct {
		Version string
		Time    time.Time
	}
	text := read(t, filepath.Join(dir, at+".info"))
	if err := json.Unmarshal(text, &info); err != nil || info.Version != want || !info.Time.Equal(time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)) {
		t.Errorf("%s, %v", text, err)
	}
	if !bytes.Equal(read(t, filepath.Join(dir, at+".zip")), read(t, filepath.Join(again, at+".zip"))) {
		t.Errorf("%s is not the same twice", want)
	}
	// A clone of the tag finds the library by the sums of its own go.sum.
	runIn(t, filepath.Join(cache, "example.com", "tool@"+want), env, "go", "build", "-mod=readonly", "-o", filepath.Join(cache, "built"), ".")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestRefused holds which repositories and versions have no modules.
func TestRefused(t *testing.T) {
	if err := run(t.Context(), t.TempDir(), "", t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("of no repository: %v", err)
	}
	const mod = "module example.com/tool\n\ngo 1.24.0\n"
	for _, tt := range []struct{ mod, version, want string }{
		{"", "v1.0.0", "go.mod is not committed"},
		{mod + "\nreplace example.com/x => example.com/y v1.0.0\n", "v1.0.0", "replaces example.com/x with another module"},
		{mod + "\nreplace example.com/x => ./x\n", "v1.0.0", "x/go.mod is not committed"},
		{mod, "1.0", `version "1.0" is not canonical`},
	} {
		tree := t.TempDir()
		for name, text := range map[string]string{"LICENSE": "free", "go.mod": tt.mod} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := &release{tree: tree, version: tt.version, dir: t.TempDir()}
		if err := r.write(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, %s: %v", tt.mod, tt.version, err)
		}
	}
}

// runIn runs a command in a folder and returns what it prints.
func runIn(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}
