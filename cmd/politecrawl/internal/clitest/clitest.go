// Package clitest runs commands of politecrawl in tests.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
)

// A Program returns the root command of the program that a test runs.
type Program func(*cli.Streams) *cobra.Command

// Only returns a program with a single command.
func Only(command Program) Program {
	return func(streams *cli.Streams) *cobra.Command {
		return cli.NewRoot(streams, &cobra.Command{Use: "politecrawl"}, command(streams))
	}
}

// ProcessVariable is the environment variable that makes the test binary run as the
// program, for tests that need a process, such as tests of signals.
const ProcessVariable = "TEST_ACT_AS_POLITECRAWL"

// Main runs the tests of a package, or main if the test binary runs as the program. It
// clears the configuration in the environment.
func Main(m *testing.M, main func()) {
	if os.Getenv(ProcessVariable) != "" {
		main()
		return
	}
	debug.SetGCPercent(400) // as for the program, the memory that a run uses is small
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "POLITECRAWL_") {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// Main runs the tests of a package like the function Main, with p as the program.
func (p Program) Main(m *testing.M) {
	Main(m, func() {
		streams := &cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
		os.Exit(streams.Run(context.Background(), p(streams), os.Args[1:]))
	})
}

// A Result is the exit code and the output of one run.
type Result struct {
	Code        int
	Out, Stderr string
}

// Run runs a command line to its end.
func (p Program) Run(t *testing.T, args ...string) Result {
	t.Helper()
	return p.RunWith(t, "", args...)
}

// RunWith is Run with a standard input.
func (p Program) RunWith(t *testing.T, stdin string, args ...string) Result {
	t.Helper()
	var out, stderr Buffer
	streams := &cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &stderr}
	root := p(streams)
	code := streams.Run(t.Context(), root, onLoopback(root, args))
	return Result{code, out.String(), stderr.String()}
}

// onLoopback allows a command that sends requests to connect to the sites of the tests,
// unless the test sets --allow-addr itself.
func onLoopback(root *cobra.Command, args []string) []string {
	given := func(arg string) bool { return strings.HasPrefix(arg, "--"+flags.AllowAddr) }
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Flags().Lookup(flags.AllowAddr) == nil || cmd.Name() == "show" && cmd.Parent().Name() == "config" || slices.ContainsFunc(args, given) {
		return args
	}
	words := len(strings.Fields(cmd.CommandPath())) - 1
	return slices.Insert(slices.Clone(args), words, "--"+flags.AllowAddr+"=127.0.0.0/8")
}

// A Buffer collects lines from several goroutines.
type Buffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// Process returns the program as a separate process, for tests run by Main.
func (p Program) Process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, onLoopback(p(&cli.Streams{}), args)...)
	cmd.Env = append(os.Environ(), ProcessVariable+"=1")
	return cmd
}

// WantRefusal checks that the program ended with code, wrote no result, and wrote one line
// with each of the words to standard error.
func (r Result) WantRefusal(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.Code != code {
		t.Errorf("exit code %d, want %d", r.Code, code)
	}
	if r.Out != "" {
		t.Errorf("wrote results: %q", r.Out)
	}
	if strings.Count(r.Stderr, "\n") != 1 || !strings.HasPrefix(r.Stderr, "politecrawl: ") {
		t.Errorf("standard error is not one line of the program: %q", r.Stderr)
	}
	WantParts(t, r.Stderr, words...)
}

// WantParts checks that a text contains each part.
func WantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// WantEqual compares what a test got with what it wants.
func WantEqual(t *testing.T, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A Misuse has invalid arguments of a command, and words of the expected error.
type Misuse = struct {
	Name        string
	Args, Words []string
}

// WantMisuse checks that a command rejects each case.
func (p Program) WantMisuse(t *testing.T, command []string, cases []Misuse) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.Name, func(t *testing.T) {
			p.Run(t, slices.Concat(command, tt.Args)...).WantRefusal(t, cli.ExitMisuse, tt.Words...)
		})
	}
}

// OK fails the test if there is an error.
func OK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must returns a function for the test that calls it: clitest.Must(os.ReadFile(name))(t) returns
// the file, or fails the test.
func Must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		OK(t, err)
		return v
	}
}

// JSON decodes a JSON text.
func JSON[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not JSON: %v in %q", err, text)
	}
	return v
}

// JSONLines decodes a text with JSON on each line.
func JSONLines[T any](t *testing.T, text string) []T {
	t.Helper()
	var list []T
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("not JSON: %v in %q", err, text)
		}
		list = append(list, v)
	}
	return list
}

// Server starts a site with this handler.
func Server(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// WriteFile writes a file into a new directory and returns its path.
func WriteFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	OK(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// WriteCrawl writes the output directory of a crawl, with the values as lines of its files.
func WriteCrawl(t *testing.T, dir string, state any, files map[string][]any) {
	t.Helper()
	files["crawl.json"] = []any{state}
	err := os.MkdirAll(filepath.Join(dir, "robots"), 0o755)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "entries.jsonl", "robots.jsonl", "crawl.json"} {
		var text bytes.Buffer
		for _, line := range files[name] {
			err = errors.Join(err, json.NewEncoder(&text).Encode(line))
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ReadText returns the text of a file.
func ReadText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// Golden compares a whole output with a file in testdata, which people can read too.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not what %s holds (-want +got):\n%s", path, diff)
	}
}

// Need skips a test if the machine lacks something. In continuous integration it fails the
// test.
func Need(t *testing.T, lack error) {
	t.Helper()
	switch {
	case lack == nil:
	case os.Getenv("CI") != "":
		t.Fatal(lack)
	default:
		t.Skip(lack)
	}
}

// Exists reports whether there is a file or directory.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
