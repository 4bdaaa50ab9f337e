package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// onTerminal runs politecrawl on a terminal of its own, with the environment changed,
// and returns what that was sent.
func onTerminal(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	script := tool(t, "script")
	self := program.Process(t, args...)
	words := []string{"stty cols 100;"}
	for _, arg := range self.Args {
		words = append(words, cli.ShellWord(arg))
	}
	cmd := exec.CommandContext(t.Context(), script, "-qefc", strings.Join(words, " "), "/dev/null")
	cmd.Env = append(append(self.Env, "TERM=xterm", "SHELL=/bin/sh"), environ...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v; it printed %q", err, out)
	}
	return string(out)
}

// screens plays what a terminal was sent: up, clear to the end, and lines. It returns
// all that the screen showed whenever something was cleared, and in the end.
func screens(t *testing.T, sent string) (shown []string, last []string) {
	t.Helper()
	up := regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	var lines []string
	for len(sent) > 0 {
		if m := up.FindStringSubmatch(sent); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil || n > len(lines) {
				t.Fatalf("%q goes above the screen of %d lines", m[0], len(lines))
			}
			shown = append(shown, strings.Join(lines, "\n"))
			lines, sent = lines[:len(lines)-n], sent[len(m[0]):]
			continue
		}
		line, rest, whole := strings.Cut(sent, "\r\n")
		if !whole || strings.ContainsAny(line, "\r\x1b") && !strings.HasPrefix(line, "\x1b[31m") {
			t.Fatalf("%q is no whole line", line)
		}
		lines, sent = append(lines, line), rest
	}
	return append(shown, strings.Join(lines, "\n")), lines
}

// TestViewOnTerminal holds that the view and the log share a terminal: no line of the
// log is torn or lost, the view is drawn anew below them, and it is gone at the end.
func TestViewOnTerminal(t *testing.T) {
	t.Parallel()
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /no\n"))
		case "/":
			_, _ = w.Write([]byte(`<a href="/no">no</a><a href="/missing">3</a><a href="/1">1</a><a href="/2">2</a><a href="/` + strings.Repeat("long", 50) + `">4</a>`))
		case "/missing":
			http.NotFound(w, r)
		}
	})
	for _, tt := range []struct {
		name    string
		environ []string
		colour  bool
	}{
		{"in colour", nil, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			sent := onTerminal(t, tt.environ, "crawl", site.URL, "--output", out, "--delay", "600ms", "--log", "text", "--log-level", "debug")
			shown, last := screens(t, sent)
			all := strings.Join(shown, "\n")
			// The view is drawn after a second and after two, when three of five pages are there.
			if !regexp.MustCompile(`pages: [234], `).MatchString(all) { // which of them, goes by how busy the machine is
				t.Errorf("never shown: the pages on their way; the last screen is\n%s", strings.Join(last, "\n"))
			}
			clitest.WantParts(t, all, "/s, 6 URLs known, ", " remaining at this delay", "hosts: 1, ", " in flight", "skipped: 1 (disallowed: 1)", "errors: 1 (status 404: 1)")
			if strings.Contains(sent, "\x1b[31merrors: 1") != tt.colour {
				t.Errorf("coloured: %v, want %v", !tt.colour, tt.colour)
			}
			end := strings.Join(last, "\n")
			clitest.WantParts(t, end, "msg=\"page fetched\" url="+site.URL+"/2 ", "msg=\"crawl ended\" reason=finished ", "\nfinished after ")
			for _, view := range []string{"pages: ", "hosts: ", "errors: "} {
				if strings.Contains(end, "\n"+view) {
					t.Errorf("%q is left of the view:\n%s", view, end)
				}
			}
			for _, line := range last {
				if strings.Contains(line, "level=") && !strings.HasPrefix(line, "time="+strconv.Itoa(time.Now().Year())) {
					t.Errorf("a line of the log is torn: %q", line)
				}
			}
		})
	}
	t.Run("quiet", func(t *testing.T) {
		t.Parallel()
		if sent := onTerminal(t, nil, "crawl", site.URL, "--output", filepath.Join(t.TempDir(), "out"), "--delay", "300ms", "--quiet"); sent != "" {
			t.Errorf("said %q", sent)
		}
	})
	t.Run("a terminal that cannot go up", func(t *testing.T) {
		t.Parallel()
		sent := onTerminal(t, []string{"TERM=dumb"}, "crawl", site.URL, "--output", filepath.Join(t.TempDir(), "out"), "--delay", "300ms")
		if strings.Contains(sent, "\x1b") || !strings.Contains(sent, "finished after ") {
			t.Errorf("sent %q", sent)
		}
	})
}
