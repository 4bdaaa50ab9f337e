package pictures

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/report"
)

// A demo is a run of politecrawl demo on a terminal.
type demo struct {
	command string
	running screen // after some seconds
	over    screen
	report  string // the path of its page
}

// runDemo builds the program and runs the demo.
func runDemo(t *testing.T) *demo {
	t.Helper()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Fatalf("the pictures need script(1), which has a terminal to run in: %v", err)
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "politecrawl"), "./cmd/politecrawl")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	d := &demo{command: "politecrawl demo --output demo", report: filepath.Join(dir, "demo", report.HTMLFile)}
	cmd := exec.CommandContext(t.Context(), script, "-qefc", "stty cols 100 rows 40; ./"+d.command+port(), os.DevNull)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TERM=xterm", "SHELL=/bin/sh", "NO_COLOR=")
	sent, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; it printed %q", err, sent)
	}
	shown, err := play(string(sent))
	if err != nil || len(shown) < 4 {
		t.Fatalf("%d screens, %v: %q", len(shown), err, sent)
	}
	d.running, d.over = shown[2], shown[len(shown)-1]
	if _, err := os.Stat(d.report); err != nil {
		t.Fatal(err)
	}
	return d
}

// port is the flag for a port that is the same each time, if it is free.
func port() string {
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return ""
	}
	_ = listener.Close()
	return " --port 8080"
}
