package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestDemo runs the demo as a newcomer does, and holds what it says against the
// files it wrote.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	began := time.Now()
	got := run(t, "demo", "--output", dir, "--format", "json")
	if got.code != exitDone {
		t.Errorf("exit code %d, standard error %q", got.code, got.stderr)
	}
	var r demoResult
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v in %q", err, got.out)
	}
	if len(r.Violations) > 0 || len(r.Missing) > 0 || len(r.Unexpected) > 0 || !r.Agrees {
		t.Errorf("violations %q, missing %q, unexpected %q, agrees: %v", r.Violations, r.Missing, r.Unexpected, r.Agrees)
	}
	if len(r.Advice) > 0 {
		t.Errorf("advice: %q", r.Advice)
	}
	if r.Delay != "20ms" || r.Seconds <= 0 || r.Seconds > time.Since(began).Seconds() {
		t.Errorf("delay %s, %v seconds", r.Delay, r.Seconds)
	}
	if pages := jsonLines[output.Page](t, filepath.Join(dir, output.PagesFile)); len(pages) != r.Summary.Pages || len(pages) < 150 {
		t.Errorf("%d pages written, %d in the summary, want some two hundred", len(pages), r.Summary.Pages)
	}
	rejected := 0
	for _, n := range r.Summary.Rejected {
		rejected += n
	}
	if lines := jsonLines[output.Rejection](t, filepath.Join(dir, output.RejectedFile)); len(lines) != rejected || r.Summary.Rejected[output.Disallowed] == 0 {
		t.Errorf("%d rejections written, summary %v", len(lines), r.Summary.Rejected)
	}
	if r.Pages < r.Summary.Pages || r.Robots != r.Summary.Robots || r.Sitemaps < r.Summary.Sitemaps || r.Moved < 0 {
		t.Errorf("the site saw %+v, the crawler says %+v", r, r.Summary)
	}
}

func TestDemoMisuse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	held := t.TempDir()
	if err := os.WriteFile(filepath.Join(held, output.PagesFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, "file", "")
	for _, tt := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"port in use", []string{"--port", taken}, []string{"--port", taken, "in use", "choose another port"}},
		{"no such port", []string{"--port", "65536"}, []string{"--port", "65536"}},
		{"directory holds a crawl", []string{"--output", held}, []string{"--output", held, "name another"}},
		{"file for a directory", []string{"--output", file}, []string{"--output", file, "can be written"}},
		{"argument", []string{"http://h/"}, []string{"takes no argument"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"demo"}, tt.args...)...).wantRefusal(t, exitMisuse, tt.words...)
		})
	}
}

// TestDemoInterrupted holds that a demo that was stopped is no disagreement.
func TestDemoInterrupted(t *testing.T) {
	port := freePort(t)
	cmd := command(t, "demo", "--output", filepath.Join(t.TempDir(), "out"), "--port", port)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitSite(t, port)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code says it
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasPrefix(out.String(), "interrupted after") {
		t.Errorf("exit code %d, output:\n%s", code, out.String())
	}
}

// freePort is a port that nobody listens on, or did not a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// awaitSite waits until the demo site answers.
func awaitSite(t *testing.T, port string) {
	t.Helper()
	for range 200 {
		resp, err := http.Get("http://127.0.0.1:" + port + "/robots.txt")
		if err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the site does not answer")
}

func TestDemoResult(t *testing.T) {
	sum := func(end crawler.End) *crawler.Summary {
		return &crawler.Summary{End: end, Pages: 2, Robots: 1, Took: 1500 * time.Millisecond, Output: "out"}
	}
	fetched := []string{"http://h/a", "http://h/b"}
	saw := demosite.Report{Requests: 3, Pages: 2, Robots: map[string]int{"http://h": 1}}
	want := demosite.Expectation{Pages: fetched}
	bad := []demosite.Violation{{Kind: demosite.Forbidden, Request: demosite.Request{Number: 2, Method: "GET", Origin: "http://h", URI: "/b"}}}

	tests := []struct {
		name   string
		end    crawler.End
		change func(saw *demosite.Report, want *demosite.Expectation, fetched *[]string, sum *crawler.Summary)
		code   int
		agrees bool
		says   string
	}{
		{"all is well", crawler.EndFinished, nil, exitDone, true, "0 violations"},
		{"violation", crawler.EndFinished, func(saw *demosite.Report, _ *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			saw.Violations = bad
		}, exitFindings, true, "1 violation"},
		{"page missing", crawler.EndFinished, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = append(want.Pages, "http://h/c")
		}, exitFindings, false, "missing     http://h/c"},
		{"page unexpected", crawler.EndFinished, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = want.Pages[:1]
		}, exitFindings, false, "unexpected  http://h/b"},
		{"page written twice", crawler.EndFinished, func(_ *demosite.Report, _ *demosite.Expectation, fetched *[]string, _ *crawler.Summary) {
			*fetched = append(*fetched, "http://h/b")
		}, exitFindings, false, ""},
		{"robots.txt counted wrong", crawler.EndFinished, func(_ *demosite.Report, _ *demosite.Expectation, _ *[]string, sum *crawler.Summary) {
			sum.Robots = 2
		}, exitFindings, false, ""},
		{"interrupted", crawler.EndInterrupted, func(_ *demosite.Report, want *demosite.Expectation, _ *[]string, _ *crawler.Summary) {
			want.Pages = append(want.Pages, "http://h/c")
		}, exitInterrupted, false, "interrupted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, f, saw, want := sum(tt.end), fetched, saw, want
			if tt.change != nil {
				tt.change(&saw, &want, &f, s)
			}
			r := newDemoResult(s, f, 20*time.Millisecond, saw, want)
			if r.code() != tt.code || r.Agrees != tt.agrees || !strings.Contains(r.text(ansi), tt.says) {
				t.Errorf("exit code %d, agrees: %v, text:\n%s", r.code(), r.Agrees, r.text(ansi))
			}
		})
	}
}

func TestDemoResultText(t *testing.T) {
	sum := &crawler.Summary{
		End: crawler.EndFinished, Pages: 2, Statuses: map[int]int{200: 1, 404: 1}, Rejected: map[output.Reason]int{output.Disallowed: 1},
		Robots: 1, Hosts: 1, Sitemaps: 1, Entries: 1, Took: 1500 * time.Millisecond, Output: "out",
	}
	r := newDemoResult(sum, []string{"http://h/a", "http://h/b"}, 20*time.Millisecond,
		demosite.Report{Requests: 5, Pages: 2, Sitemaps: 1, Robots: map[string]int{"http://h": 1}},
		demosite.Expectation{Pages: []string{"http://h/a", "http://h/b"}})
	want := `finished after 1.5s
  pages       2 (status 200: 1, status 404: 1)
  rejected    1 (disallowed: 1)
  robots.txt  1 requested, for 1 host
  sitemaps    1 read, with 1 entry
  files       out/pages.jsonl out/rejected.jsonl out/robots/
what the site saw:
  requests    5: 2 for pages, 1 for robots.txt and 1 for its redirects, 1 for sitemaps
  politeness  0 violations, with a delay of 20ms between two requests to a host
  pages       each that a polite crawler should fetch, and no other
`
	if diff := cmp.Diff(want, r.text(func(_ colour, text string) string { return text })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
