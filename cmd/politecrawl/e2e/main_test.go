package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/root"
)

var (
	program  = clitest.Program(root.Command)
	run      = program.Run
	runWith  = program.RunWith
	readText = clitest.ReadText
)

// done runs a command line that has to end with exit code 0.
func done(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	got := run(t, args...)
	if got.Code != cli.ExitDone {
		t.Fatalf("%q: %+v", args, got)
	}
	return got
}

// refusedCrawl holds that a crawl with these arguments is misuse, and makes no directory.
func refusedCrawl(t *testing.T, args []string, words ...string) clitest.Result {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	got := run(t, append([]string{"crawl", "--output", dir}, args...)...)
	got.WantRefusal(t, cli.ExitMisuse, words...)
	if clitest.Exists(dir) {
		t.Error("the output directory was made")
	}
	return got
}

// wantNowhere holds that no file below a directory has a secret in it.
func wantNowhere(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(readText(t, name), secret) {
			t.Errorf("%s has %q in it", name, secret)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestMain(m *testing.M) { clitest.Main(m, root.Main) }

// tool returns the path of a program. It skips the test if the program is missing, except
// in continuous integration, where the Makefile installs it.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	clitest.Need(t, err)
	return path
}

// outcome runs a process.
func outcome(t *testing.T, cmd *exec.Cmd) clitest.Result {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return clitest.Result{Code: cmd.ProcessState.ExitCode(), Out: out.String(), Stderr: stderr.String()}
}

// serveAt starts a site at an address of this machine.
func serveAt(t *testing.T, addr string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := &httptest.Server{Listener: clitest.Must(net.Listen("tcp", addr+":0"))(t), Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server
}
