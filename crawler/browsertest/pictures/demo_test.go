package pictures

import (
	"net"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/report"
)

// runDemo builds the program and runs the demo. It returns the path of the report.
func runDemo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "politecrawl"), "./cmd/politecrawl")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "politecrawl"), append([]string{"demo", "--output", "demo"}, port()...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "demo", report.HTMLFile)
}

// port is the flag for a port that is the same each time, if it is free.
func port() []string {
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		return nil
	}
	_ = listener.Close()
	return []string{"--port", "8080"}
}
