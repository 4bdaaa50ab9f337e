package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

// actAsProgram in the environment makes the test binary be politecrawl, for tests
// that need a process: of signals, and of files in place of buffers.
const actAsProgram = "TEST_ACT_AS_POLITECRAWL"

func TestMain(m *testing.M) {
	if os.Getenv(actAsProgram) != "" {
		main()
		return
	}
	for _, v := range os.Environ() { // nothing of ours may configure a test
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, envPrefix+"_") {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// A ran is what came of one run of the program.
type ran struct {
	code        int
	out, stderr string
}

// run runs politecrawl to its end.
func run(t *testing.T, args ...string) ran { return runWith(t, "", args...) }

// runWith is run with something on standard input.
func runWith(t *testing.T, stdin string, args ...string) ran {
	t.Helper()
	var out, stderr lockedBuffer
	p := &cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &stderr}
	code := p.Run(t.Context(), root(p), onLoopback(args))
	return ran{code, out.String(), stderr.String()}
}

// onLoopback lets a command that asks sites for something ask those of the tests, unless
// the test says itself what is allowed.
func onLoopback(args []string) []string {
	words := 0 // of the command
	switch {
	case len(args) > 1 && args[0] == "crawl" && slices.Contains([]string{"status", "stop", "delete"}, args[1]): // it asks Redis alone
	case len(args) > 0 && slices.Contains([]string{"crawl", "plan", "sitemap"}, args[0]):
		words = 1
	case len(args) > 1 && args[0] == "robots" && slices.Contains([]string{"check", "show", "lint", "diff", "agents"}, args[1]):
		words = 2
	}
	if words == 0 || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--"+allowAddr) }) {
		return args
	}
	return slices.Insert(slices.Clone(args), words, "--"+allowAddr+"=127.0.0.0/8")
}

// A lockedBuffer takes lines from several goroutines, as a file does.
type lockedBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// command is politecrawl as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, onLoopback(args)...)
	cmd.Env = append(os.Environ(), actAsProgram+"=1")
	return cmd
}

// wantRefusal checks that the program ended with code, wrote no result, and one
// line to standard error that holds each of the words.
func (r ran) wantRefusal(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d", r.code, code)
	}
	if r.out != "" {
		t.Errorf("wrote results: %q", r.out)
	}
	if strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, "politecrawl: ") {
		t.Errorf("standard error is not one line of the program: %q", r.stderr)
	}
	for _, w := range words {
		if !strings.Contains(r.stderr, w) {
			t.Errorf("standard error lacks %q: %q", w, r.stderr)
		}
	}
}

// answers decodes the JSON lines of a run of "robots check".
func (r ran) answers(t *testing.T) []answer {
	t.Helper()
	var list []answer
	for dec := json.NewDecoder(strings.NewReader(r.out)); dec.More(); {
		var a answer
		if err := dec.Decode(&a); err != nil {
			t.Fatalf("not JSON: %v in %q", err, r.out)
		}
		list = append(list, a)
	}
	return list
}

// robotsServer is a site that answers every request as its handler does.
func robotsServer(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// serveRobots is a site with this robots.txt.
func serveRobots(t *testing.T, body string) *httptest.Server {
	return robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			t.Errorf("requested %s", r.URL)
		}
		_, _ = w.Write([]byte(body))
	})
}

// writeFile writes a file into a new directory and returns its path.
func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
