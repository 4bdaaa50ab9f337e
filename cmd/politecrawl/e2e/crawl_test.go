package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A testSite is a site on loopback that remembers what it was asked.
type testSite struct {
	url string

	mu   sync.Mutex // guards seen
	seen []string   // paths; pages only
}

// newTestSite serves pages by path, {site} in them is the site's own URL; what is
// missing is a 404.
func newTestSite(t *testing.T, pages map[string]string) *testSite {
	t.Helper()
	s := &testSite{}
	s.url = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			s.mu.Lock()
			s.seen = append(s.seen, r.URL.Path)
			s.mu.Unlock()
		}
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(body, "{site}", "http://"+r.Host)))
	}).URL
	return s
}

// requested returns the paths of the pages that were asked for, sorted.
func (s *testSite) requested() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.seen))
}

func smallSite(t *testing.T) *testSite {
	return newTestSite(t, map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private/\n",
		"/":           `<title>Front</title><a href="/a">a</a> <a href="/private/x">x</a> <a href="http://elsewhere.invalid/">y</a>`,
		"/a":          `<title>A</title><a href="/b">b</a>`,
		"/b":          `<title>B</title>`,
	})
}

// jsonLines decodes a file of JSON lines.
func jsonLines[T any](t *testing.T, path string) []T {
	t.Helper()
	return clitest.JSONLines[T](t, readText(t, path))
}

func TestCrawl(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "new", "out")
	got := run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--format", "json", "--quiet")
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	sum := clitest.JSON[crawler.Summary](t, got.Out)
	if sum.Duration <= 0 || time.Duration(sum.Duration) > time.Minute || strings.Contains(got.Out, "took") || strings.Contains(got.Out, `"seconds"`) {
		t.Errorf("the duration is not in milliseconds alone: %s", got.Out)
	}
	if sum.End != crawler.EndFinished || sum.Pages != 3 || sum.Robots != 1 || sum.Output != dir {
		t.Errorf("summary %+v", sum)
	}
	clitest.WantEqual(t, "requested", []string{"/", "/a", "/b"}, site.requested())
	var titles []string
	for _, p := range jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")) {
		titles = append(titles, p.Title)
	}
	clitest.WantEqual(t, "titles in pages.jsonl", []string{"Front", "A", "B"}, titles)
	reasons := map[string]output.Reason{}
	for _, r := range jsonLines[output.Rejection](t, filepath.Join(dir, "rejected.jsonl")) {
		reasons[r.URL] = r.Reason
	}
	want := map[string]output.Reason{site.url + "/private/x": output.Disallowed, "http://elsewhere.invalid/": output.OutOfScope}
	clitest.WantEqual(t, "rejected.jsonl", want, reasons)
}

// TestCrawlObeysItsFlags holds that flags, file and environment reach the crawler.
func TestCrawlObeysItsFlags(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "delay: 0s\nmax-depth: 1\n")
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"file", nil, []string{"/", "/a"}},
		{"flag over file", []string{"--max-depth", "0"}, []string{"/"}},
		{"max-pages", []string{"--max-depth", "-1", "--max-pages", "2"}, []string{"/", "/a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := smallSite(t)
			args := append([]string{"crawl", site.url, "--config", file, "--output", filepath.Join(t.TempDir(), "out"), "--quiet"}, tt.args...)
			if got := run(t, args...); got != (clitest.Result{}) {
				t.Errorf("got %+v, want silence and exit code 0", got)
			}
			clitest.WantEqual(t, "requested", tt.want, site.requested())
		})
	}
}

func TestCrawlUserAgentChoosesTheGroup(t *testing.T) {
	site := newTestSite(t, map[string]string{
		"/robots.txt": "User-agent: *\nAllow: /\n\nUser-agent: examplebot\nDisallow: /\n", "/": "<p>",
	})
	got := run(t, "crawl", site.url, "--user-agent", "ExampleBot/1.0", "--output", filepath.Join(t.TempDir(), "out"))
	if len(site.requested()) > 0 || got.Code != cli.ExitDone || !strings.Contains(got.Out, "disallowed: 1") {
		t.Errorf("exit code %d, requested %v:\n%s", got.Code, site.requested(), got.Out)
	}
}

func TestCrawlReadsURLFile(t *testing.T) {
	site := newTestSite(t, map[string]string{"/1": "<p>", "/2": "<p>", "/3": "<p>"})
	seeds := "\ufeff# start here\n" + site.url + "/2\n\n" + site.url + "/3\n"
	for _, from := range []string{clitest.WriteFile(t, "seeds.txt", seeds), "-"} {
		site.seen = nil
		got := runWith(t, seeds, "crawl", site.url+"/1", "--url-file", from, "--delay", "0s", "--output", filepath.Join(t.TempDir(), "out"))
		if diff := cmp.Diff([]string{"/1", "/2", "/3"}, site.requested()); diff != "" || got.Code != cli.ExitDone {
			t.Errorf("%s: exit code %d, requested (-want +got):\n%s", from, got.Code, diff)
		}
	}
}

// A crawl with an unreachable robots.txt requests no page, and ends with exit code 4 and the
// reason.
func TestCrawlWithUnreachableRobotsEndsWithLater(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			t.Errorf("requested %s", r.URL)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	dir := filepath.Join(t.TempDir(), "out  of  it")
	got := run(t, "crawl", site.URL, "--max-wait", "10ms", "--output", dir)
	clitest.WantParts(t, got.Out, "1 URL remaining", "--max-wait", time.Now().Format(" -07:00: "), "  waiting     for robots.txt of "+site.URL+": status 503\n")
	if got.Code != cli.ExitLater {
		t.Errorf("exit code %d", got.Code)
	}
	quiet := run(t, "crawl", "--resume", dir, "--max-wait", "10ms", "--quiet")
	quiet.WantRefusal(t, cli.ExitLater, "1 URL remaining", "--max-wait", "waiting for robots.txt of "+site.URL+": status 503", "to resume: politecrawl crawl --resume '"+dir+"'")
}

// --max-time with a waiting host gives the same exit code as --max-wait.
func TestMaxTimeWithWaitingHostEndsWithLater(t *testing.T) {
	busy := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	got := run(t, "crawl", busy.URL+"/", "--quiet", "--output", filepath.Join(t.TempDir(), "crawl"), "--max-time", "300ms", "--max-wait", "1h", "--format", "json")
	if got.Code != cli.ExitLater || !strings.Contains(got.Out, `"end":"max-time"`) || !strings.Contains(got.Out, `"status 503"`) {
		t.Errorf("%+v", got)
	}
}

func TestCrawlMisuse(t *testing.T) {
	held := filepath.Join(t.TempDir(), "held")
	done(t, "crawl", smallSite(t).url, "--delay", "0s", "--output", held)
	file := clitest.WriteFile(t, "file", "")
	badSeed := clitest.WriteFile(t, "bad.txt", "\ufeff# mine\nhttp://h/\nexample.com\n")
	tests := []struct {
		name  string
		args  []string
		words []string
	}{
		{"no start URL", nil, []string{"give start URLs", "--url-file"}},
		{"empty seeds", []string{"--url-file", file}, []string{"--url-file: ", file, "has no URL"}},
		{"empty standard input", []string{"--url-file", "-"}, []string{"--url-file: standard input has no URL"}},
		{"bad seed", []string{"--url-file", badSeed}, []string{"--url-file: ", "bad.txt\", line 3: ", `"example.com" has no scheme`}},
		{"missing seeds", []string{"--url-file", "absent.txt"}, []string{"--url-file", "absent.txt", "name a file that you can read"}},
		{"no scheme", []string{"example.com"}, []string{`"example.com" has no scheme`, "https://example.com"}},
		{"no value of --links", []string{"http://h/", "--links", "ful"}, []string{`"ful" has no scheme`}},
		{"value of --links elsewhere", []string{"full", "http://h/", "--links"}, []string{`"full" has no scheme`}},
		{"negative delay", []string{"http://h/", "--delay", "-1s"}, []string{"delay", "-1s is negative"}},
		{"no concurrency", []string{"http://h/", "--concurrency", "0"}, []string{"concurrency"}},
		{"bad scope", []string{"http://h/", "--scope", "galaxy"}, []string{`"galaxy"`, "host, path, domain, any"}},
		{"expression", []string{"http://h/", "--include", "a[z-a]"}, []string{"bad configuration: include: `a[z-a]` is not a regular expression", "`z-a` at byte 3 (flag --include)"}},
		{"excluded start URL", []string{"http://h/a", "http://h/b", "--exclude", "b$"}, []string{`start URL "http://h/b" matches --exclude "b$"; omit the URL`}},
		{"start URL not included", []string{"http://h/a", "--include", "b,c"}, []string{`start URL "http://h/a" matches no --include; omit the URL`}},
		{"no product token", []string{"http://h/", "--user-agent", "Mozilla/5.0"}, []string{"user-agent", "product token"}},
		{"user agent of two lines", []string{"http://h/", "--user-agent", "bad\nX-Evil: 1"}, []string{"user-agent", "line end"}},
		{"contact with a name", []string{"http://h/", "--contact", "Me <me@example.com>"}, []string{`bad configuration: contact: "Me <me@example.com>" is not an email address; write it as`, "(flag --contact)"}},
		{"type without a subtype", []string{"http://h/", "--types", "text/html,pdf"}, []string{`bad configuration: types: "pdf" is not a media type; write it as`, "(flag --types)"}},
		{"directory holds a crawl", []string{"http://h/", "--output", held}, []string{"--output", held, "name another"}},
		{"rule of a field", []string{"http://h/", "--extract", "x=[["}, []string{`bad configuration: extract: field "x": selector "[["`}},
		{"nameless parameter", []string{"http://h/", "--drop-params", ""}, []string{"bad configuration: drop-params: the name of a parameter is empty"}},
		{"file for a directory", []string{"http://h/", "--output", file}, []string{"--output", file, "that you can write to"}},
		{"below a file", []string{"http://h/", "--output", filepath.Join(file, "x")}, []string{"--output", file, "that you can write to"}},
		{"unknown output format", []string{"http://h/", "--also-write", "excel"}, []string{`unknown format "excel"; use one of csv, `}},
		{"archive and a kind that is none", []string{"http://h/", "--archive", "--check", "none"}, []string{`check: "none" is not one of assets, external`}},
		{"unknown format", []string{"http://h/", "--format", "xml"}, []string{"--format", `"xml"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refusedCrawl(t, tt.args, tt.words...) })
	}
}

// A slowSite serves one page that has ten links and is answered when it is told
// to, and not at all if it is never told.
type slowSite struct {
	*testSite
	asked  chan struct{} // closed when the page has been asked for
	answer chan struct{} // to be closed
}

func newSlowSite(t *testing.T) *slowSite {
	t.Helper()
	s := &slowSite{&testSite{}, make(chan struct{}), make(chan struct{})}
	var first sync.Once
	s.url = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/":
			first.Do(func() { close(s.asked) })
			select {
			case <-s.answer:
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, strings.Repeat(`<a href="/x">x</a> <a href="/y">y</a>`, 5))
		default:
			t.Errorf("requested %s after the interrupt", r.URL)
		}
	}).URL
	return s
}

// startCrawl starts a crawl of the site as a process and returns it when the
// site's page has been asked for.
func startCrawl(t *testing.T, s *slowSite, dir string, others ...string) (cmd *exec.Cmd, stderr *bufio.Reader) {
	t.Helper()
	cmd = program.Process(t, append([]string{"crawl", s.url, "--output", dir, "--delay", "1ms", "--quiet", "--format", "json"}, others...)...)
	pipe := clitest.Must(cmd.StderrPipe())(t)
	cmd.Stdout = &bytes.Buffer{}
	clitest.OK(t, cmd.Start())
	select {
	case <-s.asked:
	case <-time.After(time.Minute):
		t.Fatal("the page was not asked for")
	}
	return cmd, bufio.NewReader(pipe)
}

// interrupt sends a signal and waits for the line that the program says then.
func interrupt(t *testing.T, cmd *exec.Cmd, sig os.Signal, stderr *bufio.Reader) {
	t.Helper()
	clitest.OK(t, cmd.Process.Signal(sig))
	if line, err := stderr.ReadString('\n'); err != nil || !strings.Contains(line, "interrupted") {
		t.Fatalf("standard error says %q, %v", line, err)
	}
}

func TestCrawlDrainsAtFirstSignal(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			site := newSlowSite(t)
			dir := filepath.Join(t.TempDir(), "out")
			cmd, stderr := startCrawl(t, site, dir)
			interrupt(t, cmd, sig, stderr)
			close(site.answer)
			_ = cmd.Wait() // the exit code says it
			if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
				t.Errorf("exit code %d, want %d", code, cli.ExitInterrupted)
			}
			var sum crawler.Summary
			clitest.OK(t, json.Unmarshal(cmd.Stdout.(*bytes.Buffer).Bytes(), &sum))
			if sum.End != crawler.EndInterrupted || sum.Pages != 1 || sum.Remaining != 2 {
				t.Errorf("summary %+v; want the page in flight and two URLs left", sum)
			}
			if pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")); len(pages) != 1 {
				t.Errorf("%d pages written, want 1", len(pages))
			}
		})
	}
}

func TestCrawlAbortsAtSecondSignal(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	cmd, stderr := startCrawl(t, site, dir, "http://10.0.0.1/") // which is refused, and changes nothing
	interrupt(t, cmd, os.Interrupt, stderr)
	clitest.OK(t, cmd.Process.Signal(os.Interrupt))
	if line, err := stderr.ReadString('\n'); err != nil || line != "interrupted again: aborting the requests in flight\n" {
		t.Errorf("standard error says %q, %v", line, err)
	}
	_ = cmd.Wait() // the exit code says it
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Errorf("exit code %d, want %d", code, cli.ExitInterrupted)
	}
	if pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")); len(pages) != 0 {
		t.Errorf("%d pages written, want none", len(pages))
	}
}
