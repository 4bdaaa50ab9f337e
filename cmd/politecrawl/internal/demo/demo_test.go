package demo

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var program = clitest.Only(Command)

func TestMain(m *testing.M) { program.Main(m) }

func TestDemoMisuse(t *testing.T) {
	listener := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	taken := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	held := t.TempDir()
	clitest.OK(t, os.WriteFile(filepath.Join(held, "pages.jsonl"), []byte("{}\n"), 0o600))
	file := clitest.WriteFile(t, "file", "")
	program.WantMisuse(t, []string{"demo"}, []clitest.Misuse{
		{"port in use", []string{"--port", taken}, []string{"--port", taken, "in use", "choose another port"}},
		{"no such port", []string{"--port", "65536"}, []string{"--port: 65536 is not a port", "from 1 to 65535"}},
		{"negative port", []string{"--port", "-1"}, []string{"--port: -1 is not a port"}},
		{"directory holds a crawl", []string{"--output", held}, []string{"--output", held, "name another"}},
		{"file for a directory", []string{"--output", file}, []string{"--output", file, "that you can write to"}},
		{"argument", []string{"http://h/"}, []string{"takes no arguments"}},
	})
}

// TestDemoInterrupted holds that a demo that was stopped is no disagreement.
func TestDemoInterrupted(t *testing.T) {
	cmd := program.Process(t, "demo", "--output", filepath.Join(t.TempDir(), "out"))
	var out strings.Builder
	cmd.Stdout = &out
	stderr := clitest.Must(cmd.StderrPipe())(t)
	clitest.OK(t, cmd.Start())
	said := bufio.NewReader(stderr)
	if line, err := said.ReadString('\n'); err != nil || !strings.HasPrefix(line, "crawling 7 hosts") {
		t.Fatalf("standard error begins with %q, %v", line, err)
	}
	clitest.OK(t, cmd.Process.Signal(os.Interrupt))
	_, _ = io.Copy(io.Discard, said)
	_ = cmd.Wait() // the exit code says it
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted || !strings.HasPrefix(out.String(), "interrupted after") {
		t.Errorf("exit code %d, output:\n%s", code, out.String())
	}
}
