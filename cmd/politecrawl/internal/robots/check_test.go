package robots

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
	runWith = program.RunWith
)

func TestMain(m *testing.M) { program.Main(m) }

// serveRobots starts a site with this robots.txt.
func serveRobots(t *testing.T, body string) *httptest.Server {
	return clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			t.Errorf("requested %s", r.URL)
		}
		_, _ = w.Write([]byte(body))
	})
}

const sampleRobots = `# sample
User-agent: *
Disallow: /private/
Allow: /private/press$

User-agent: ExampleBot
User-agent: MJ12bot
Disallow: /

User-agent: ExampleBot-Image
Allow: /
`

func TestCheckFile(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	tests := []struct {
		name, agent, url string
		want             answer // an empty Agent: that of the command line
		code             int
	}{
		{"ROB-UA-15/version", "ExampleBot/1.0", "http://h/", answer{Agent: "ExampleBot", Verdict: disallowed, Group: "ExampleBot", Rule: "Disallow: /", Line: 8}, 1},
		{"ROB-UA-15/User-Agent", "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)", "http://h/", answer{Agent: "ExampleBot", Verdict: disallowed, Group: "ExampleBot", Rule: "Disallow: /", Line: 8}, 1},
		{"ROB-UA-15/the leading letters have a group", "ExampleBot2", "http://h/", answer{Verdict: allowed, Group: "*"}, 0},
		{"no rule applies", "politecrawl", "https://example.com/", answer{Verdict: allowed, Group: "*"}, 0},
		{"disallowed by line 3", "politecrawl", "https://example.com/private/x", answer{Verdict: disallowed, Group: "*", Rule: "Disallow: /private/", Line: 3}, 1},
		{"ROB-MAT-07/allowed by line 4", "politecrawl", "https://example.com/private/press", answer{Verdict: allowed, Group: "*", Rule: "Allow: /private/press$", Line: 4}, 0},
		{"ROB-UA-02/own group", "examplebot", "http://h:8080/", answer{Verdict: disallowed, Group: "ExampleBot", Rule: "Disallow: /", Line: 8}, 1},
		{"ROB-UA-04/several names", "ExampleBot-Image+ExampleBot", "http://h/", answer{Verdict: allowed, Group: "ExampleBot-Image", Rule: "Allow: /", Line: 11}, 0},
		{"ROB-UA-04/several names, the second has the group", "ExampleBot-News+ExampleBot", "http://h/", answer{Verdict: disallowed, Group: "ExampleBot", Rule: "Disallow: /", Line: 8}, 1},
		{"ROB-UA-11/digits in the name", "MJ12bot", "http://h/", answer{Verdict: disallowed, Group: "MJ12bot", Rule: "Disallow: /", Line: 8}, 1},
		{"ROB-UA-06/whom no file names", "*", "http://h/private/", answer{Verdict: disallowed, Group: "*", Rule: "Disallow: /private/", Line: 3}, 1},
		{"a path for a URL", "politecrawl", "/private/", answer{Verdict: disallowed, Group: "*", Rule: "Disallow: /private/", Line: 3}, 1},
		{"ROB-MAT-25/dot segments", "politecrawl", "http://h/a/../private/", answer{Verdict: disallowed, Group: "*", Rule: "Disallow: /private/", Line: 3}, 1},
		{"ROB-MAT-21/robots.txt itself", "ExampleBot", "http://h/robots.txt", answer{Verdict: allowed, Group: "ExampleBot"}, 0},
		{"a stray % sign", "politecrawl", "http://h/private/%zz", answer{Verdict: disallowed, Group: "*", Rule: "Disallow: /private/", Line: 3}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, "robots", "check", "--robots", file, "--agent", tt.agent, "--format", "json", tt.url)
			tt.want.URL, tt.want.RobotsURL = tt.url, file
			if tt.want.Agent == "" {
				tt.want.Agent = tt.agent
			}
			clitest.WantEqual(t, "answer", []answer{tt.want}, answers(t, got))
			if got.Code != tt.code || got.Stderr != "" {
				t.Errorf("exit code %d and %q on standard error, want %d and nothing", got.Code, got.Stderr, tt.code)
			}
		})
	}
}

// TestCheckJSONFields holds the names that scripts rely on.
func TestCheckJSONFields(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	got := run(t, "robots", "check", "--robots", file, "--format=json", "https://example.com/?a=1&b=<2>")
	want := `{"url":"https://example.com/?a=1&b=<2>","agent":"politecrawl","verdict":"allowed","group":"*","rule":"","line":0,"robots_url":"` + file + `"}` + "\n"
	if got.Out != want {
		t.Errorf("got  %swant %s", got.Out, want)
	}
}

func TestCheckSeveralAgents(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	for _, flags := range [][]string{{"--agent", "ExampleBot,OtherBot"}, {"--agent", "ExampleBot", "--agent", "OtherBot"}} {
		got := run(t, slices.Concat([]string{"robots", "check", "--robots", file}, flags, []string{"http://h/a", "http://h/b"})...)
		want := "disallowed http://h/a  ExampleBot: line 8 of " + file + `, "Disallow: /" in the group ExampleBot` + "\n" +
			"allowed    http://h/a  OtherBot: no rule applies in the group *, " + file + "\n" +
			"disallowed http://h/b  ExampleBot: line 8 of " + file + `, "Disallow: /" in the group ExampleBot` + "\n" +
			"allowed    http://h/b  OtherBot: no rule applies in the group *, " + file + "\n"
		clitest.WantEqual(t, fmt.Sprint(flags), want, got.Out)
		if got.Code != cli.ExitFindings {
			t.Errorf("exit code %d", got.Code)
		}
	}
}

func TestCheckStandardInput(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	t.Run("URLs", func(t *testing.T) {
		got := runWith(t, "http://h/1\n\n# a comment\r\n  http://h/private/2  \r\nhttp://h/3", "robots", "check", "http://h/0", "-", "--robots", file, "--format", "json")
		var lines []string
		for _, a := range answers(t, got) {
			lines = append(lines, a.URL+" "+a.Verdict)
		}
		want := []string{"http://h/0 allowed", "http://h/1 allowed", "http://h/private/2 disallowed", "http://h/3 allowed"}
		if diff := cmp.Diff(want, lines); diff != "" || got.Code != cli.ExitFindings {
			t.Errorf("exit code %d, answers (-want +got):\n%s", got.Code, diff)
		}
	})
	t.Run("robots.txt", func(t *testing.T) {
		got := runWith(t, "User-agent: *\nDisallow: /x", "robots", "check", "--robots", "-", "http://h/x", "--format", "json")
		want := []answer{{URL: "http://h/x", Agent: "politecrawl", Verdict: disallowed, Group: "*", Rule: "Disallow: /x", Line: 2, RobotsURL: "-"}}
		clitest.WantEqual(t, "the result", want, answers(t, got))
		text := runWith(t, "User-agent: *\nDisallow: /x", "robots", "check", "--robots", "-", "http://h/x", "http://h/y")
		if strings.Count(text.Out, " standard input") != 2 || strings.Contains(text.Out, " -") {
			t.Errorf("text:\n%s", text.Out)
		}
	})
	t.Run("byte order mark", func(t *testing.T) {
		got := runWith(t, "\ufeffhttp://h/private/\n", "robots", "check", "-", "--robots", file, "--format", "json")
		if answers := answers(t, got); len(answers) != 1 || answers[0].URL != "http://h/private/" || got.Stderr != "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a line without end", func(t *testing.T) {
		runWith(t, "\n"+strings.Repeat("x", 1<<20), "robots", "check", "-", "--robots", file).
			WantRefusal(t, cli.ExitFailed, "standard input: line 2 is too long")
	})
	t.Run("both", func(t *testing.T) {
		runWith(t, "", "robots", "check", "--robots", "-", "-").WantRefusal(t, cli.ExitMisuse, "cannot be both")
	})
	t.Run("no URL at all", func(t *testing.T) {
		for _, nothing := range []string{"", "\n", "\ufeff\n# no URL\n"} {
			runWith(t, nothing, "robots", "check", "-", "--robots", file).WantRefusal(t, cli.ExitMisuse, "robots check", "standard input has no URL")
		}
	})
}

// TestCheckQuiet holds that the exit code is then the only answer.
func TestCheckQuiet(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	for url, code := range map[string]int{"/": cli.ExitDone, "/private/": cli.ExitFindings} {
		for _, format := range []string{"text", "json"} {
			got := run(t, "robots", "check", "--robots", file, "--quiet", "--format", format, url)
			if got != (clitest.Result{Code: code}) {
				t.Errorf("%s as %s: %+v, want nothing and exit code %d", url, format, got, code)
			}
		}
	}
	run(t, "robots", "check", "--robots", file, "--quiet", "gopher://h/").WantRefusal(t, cli.ExitMisuse, "gopher")
}

// TestSlashes holds that a path may begin with two of them, where it cannot be a
// host.
func TestSlashes(t *testing.T) {
	const rules = "User-agent: *\nDisallow: //a/\n"
	if got := runWith(t, rules, "robots", "check", "--robots", "-", "//a/b"); got.Code != cli.ExitFindings || got.Stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := runWith(t, rules, "robots", "agents", "-", "//a/b", "--agent", "x"); got.Code != cli.ExitDone || !strings.Contains(got.Out, "   no\n") {
		t.Errorf("%+v", got)
	}
}

// TestCheckContinuesAfterInvalidURL holds that one bad line of many spoils only itself.
func TestCheckContinuesAfterInvalidURL(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	got := runWith(t, "http://h/1\nftp://h/2\nhttp://h/private/3\n", "robots", "check", "-", "--robots", file)
	if got.Code != cli.ExitMisuse || strings.Count(got.Out, "\n") != 2 {
		t.Errorf("exit code %d, output %q; want %d and two answers", got.Code, got.Out, cli.ExitMisuse)
	}
	want := `politecrawl: robots check: standard input, line 2: "ftp://h/2": scheme "ftp" is not supported; use http or https` + "\n"
	if got.Stderr != want {
		t.Errorf("standard error %q, want %q", got.Stderr, want)
	}
}

func TestCheckSite(t *testing.T) {
	var requests atomic.Int32
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.URL.Path != "/robots.txt" || !strings.HasPrefix(r.UserAgent(), "politecrawl/") {
			t.Errorf("requested %s as %q", r.URL, r.UserAgent())
		}
		_, _ = w.Write([]byte(sampleRobots))
	})
	got := run(t, "robots", "check", site.URL+"/a", site.URL+"/private/b", "--agent", "a,b", "--format", "json")
	var verdicts []string
	for _, a := range answers(t, got) {
		if a.RobotsURL != site.URL+"/robots.txt" || a.Status != 200 {
			t.Errorf("robots_url %q, status %d", a.RobotsURL, a.Status)
		}
		verdicts = append(verdicts, a.Verdict)
	}
	if diff := cmp.Diff([]string{allowed, allowed, disallowed, disallowed}, verdicts); diff != "" || got.Code != cli.ExitFindings {
		t.Errorf("exit code %d, verdicts (-want +got):\n%s", got.Code, diff)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for robots.txt, want 1 (ROB-FET-03, ROB-CAC-11)", n)
	}
}

func TestCheckSiteOutcomes(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		verdict string
		code    int
		says    string
	}{
		{"ROB-STA-01/404", status(404), allowed, cli.ExitDone, "there is no "},
		{"ROB-STA-01/403", status(403), allowed, cli.ExitDone, "there is no "},
		{"ROB-STA-02/503", status(503), later, cli.ExitLater, "retry after"},
		{"ROB-STA-01/429", status(429), later, cli.ExitLater, "retry after"},
		{"ROB-FET-15/hangs up", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		}, later, cli.ExitLater, "retry after"},
		{"ROB-FET-17/never answers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, later, cli.ExitLater, "retry after"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := clitest.Server(t, tt.handler)
			timeout := "30s"
			if strings.Contains(tt.name, "never answers") {
				timeout = "300ms"
			}
			before := time.Now()
			got := run(t, "robots", "check", site.URL+"/a", "--format", "json", "--timeout", timeout)
			answers := answers(t, got)
			if len(answers) != 1 || answers[0].Verdict != tt.verdict || got.Code != tt.code {
				t.Fatalf("exit code %d, answers %+v", got.Code, answers)
			}
			if a := answers[0]; tt.verdict == later && (a.Error == "" || a.RetryAt.Before(before.Add(30*time.Second))) {
				t.Errorf("error %q, retry at %v", a.Error, a.RetryAt)
			}
			text := run(t, "robots", "check", site.URL+"/a", "--timeout", timeout)
			if zone := time.Now().Format("-07:00"); tt.verdict == later && !strings.HasSuffix(text.Out, " "+zone+"\n") {
				t.Errorf("text %q does not end in the zone %s", text.Out, zone)
			}
			if !strings.Contains(text.Out, tt.says) || strings.Count(text.Out, "\n") != 1 || text.Stderr != "" {
				t.Errorf("text %q lacks %q, or is not one line; standard error %q", text.Out, tt.says, text.Stderr)
			}
		})
	}
}

// TestCheckWorstCode holds the order 2, 3, 1, 4, 0.
func TestCheckWorstCode(t *testing.T) {
	open := serveRobots(t, "")
	closed := serveRobots(t, "User-agent: *\nDisallow: /")
	broken := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	for _, tt := range []struct {
		urls []string
		code int
	}{
		{[]string{open.URL}, cli.ExitDone},
		{[]string{open.URL, broken.URL}, cli.ExitLater},
		{[]string{broken.URL, closed.URL, open.URL}, cli.ExitFindings},
		{[]string{broken.URL, closed.URL, "nonsense", open.URL}, cli.ExitMisuse},
	} {
		got := run(t, append([]string{"robots", "check"}, tt.urls...)...)
		if got.Code != tt.code {
			t.Errorf("%v: exit code %d, want %d", tt.urls, got.Code, tt.code)
		}
	}
}

func TestCheckMisuse(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", sampleRobots)
	tests := []struct {
		name  string
		args  []string
		words []string
	}{
		{"no URL", nil, []string{"give URLs", "see politecrawl robots check --help"}},
		{"no scheme", []string{"example.com/a"}, []string{"no scheme", "https://example.com/a"}},
		{"a path without --robots", []string{"/a"}, []string{`"/a" is a path`, "https://example.com/a", "--robots"}},
		{"unsupported scheme", []string{"gopher://h/"}, []string{`scheme "gopher"`, "http or https"}},
		{"unsupported scheme with --robots", []string{"--robots", file, "mailto://h/"}, []string{`scheme "mailto"`}},
		{"ROB-LOC-16/no host", []string{"http:///x"}, []string{"no host"}},
		{"ROB-LOC-16/bad host", []string{"http://a b/x"}, []string{"not a URL"}},
		{"bad port", []string{"http://h:x/"}, []string{"not a URL"}},
		{"ROB-LOC-15/zone", []string{"http://[fe80::1%25eth0]/"}, []string{"zone"}},
		{"no path, with --robots", []string{"--robots", file, "private/x"}, []string{`"private/x" is neither a path nor a complete URL; write it as /private/x`}},
		{"ROB-UA-10/browser", []string{"--agent", "Mozilla/5.0", "--robots", file, "/"}, []string{`"Mozilla/5.0"`, "no product token", "such as ExampleBot"}},
		{"ROB-UA-10/empty", []string{"--agent", "", "--robots", file, "/"}, []string{"--agent"}},
		{"ROB-UA-10/words", []string{"--agent", "Foo Bar", "--robots", file, "/"}, []string{`"Foo Bar"`}},
		{"ROB-UA-10/not ASCII", []string{"--agent", "ツ", "--robots", file, "/"}, []string{`"ツ"`}},
		{"empty among several", []string{"--agent", "a,,b", "--robots", file, "/"}, []string{"--agent"}},
		{"unknown format", []string{"--format", "xml", "--robots", file, "/"}, []string{"--format", `"xml"`, "text, json"}},
		{"bad timeout", []string{"--timeout", "5", "http://h/"}, []string{"--timeout", `"5"`, "500ms"}},
		{"no timeout", []string{"--timeout", "0s", "http://h/"}, []string{"--timeout", "0s"}},
		{"no product token", []string{"--user-agent", "Mozilla/5.0", "http://h/"}, []string{"--user-agent", "Mozilla/5.0"}},
		{"misspelled flag", []string{"--agents", "a", "http://h/"}, []string{"--agents", "did you mean --agent?"}},
		{"flag without value", []string{"http://h/", "--agent"}, []string{"--agent needs a value"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"robots", "check"}, tt.args...)...).WantRefusal(t, cli.ExitMisuse, tt.words...)
		})
	}
}

// TestCheckFullDisk holds that results which could not be written are no success.
func TestCheckFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	clitest.Need(t, err)
	defer full.Close()
	var stderr strings.Builder
	streams := &cli.Streams{Out: full, Err: &stderr}
	code := streams.Run(t.Context(), program(streams), []string{"robots", "check", "--robots", clitest.WriteFile(t, "robots.txt", sampleRobots), "/"})
	clitest.Result{Code: code, Stderr: stderr.String()}.WantRefusal(t, cli.ExitFailed, "cannot write the results", "no space left")
}

// TestCheckRealFiles compares the program's verdicts on real robots.txt files with
// those of the matcher that is written straight from the specification.
func TestCheckRealFiles(t *testing.T) {
	files := realFiles(t)
	var checked int
	for i := 0; i < len(files); i += len(files)/12 + 1 {
		body := clitest.Must(os.ReadFile(files[i]))(t)
		urls := slices.Compact(slices.Sorted(slices.Values(slices.Concat(namedURLs(string(body)), []string{"https://example.com/"}))))
		got := runWith(t, strings.Join(urls, "\n"), "robots", "check", "-", "--robots", files[i], "--agent", "politecrawl,Googlebot", "--format", "json")
		answers := answers(t, got)
		if len(answers) != 2*len(urls) {
			t.Fatalf("%s: %d answers for %d URLs and two agents; standard error: %s", files[i], len(answers), len(urls), got.Stderr)
		}
		code := cli.ExitDone
		for _, a := range answers {
			want := disallowed
			if robotstxttest.Allowed(body, []string{a.Agent}, a.URL) {
				want = allowed
			} else {
				code = cli.ExitFindings
			}
			if a.Verdict != want {
				t.Errorf("%s: %s for %s is %s, want %s", filepath.Base(files[i]), a.URL, a.Agent, a.Verdict, want)
			}
			if a.Line > 0 && !lineHolds(string(body), a.Line, a.Rule) {
				t.Errorf("%s: line %d does not hold %q", filepath.Base(files[i]), a.Line, a.Rule)
			}
			checked++
		}
		if got.Code != code {
			t.Errorf("%s: exit code %d, want %d", files[i], got.Code, code)
		}
	}
	if checked < 200 {
		t.Errorf("only %d verdicts were compared", checked)
	}
}

// namedURLs makes URLs of the paths that the rules of a robots.txt name.
func namedURLs(body string) []string {
	var urls []string
	for line := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '\n' || r == '\r' }) {
		field, path, _ := strings.Cut(line, ":")
		field, path = strings.ToLower(strings.TrimSpace(field)), strings.TrimSpace(path)
		if (field == "allow" || field == "disallow") && strings.HasPrefix(path, "/") && len(urls) < 60 {
			path, _, _ = strings.Cut(path, "#")
			urls = append(urls, "https://example.com"+strings.TrimSpace(path)+"x")
		}
	}
	return urls
}

// lineHolds reports whether the numbered line of a file is that rule.
func lineHolds(body string, number int, rule string) bool {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	all := strings.Split(body, "\n")
	_, pattern, _ := strings.Cut(rule, ": ")
	return number <= len(all) && strings.Contains(all[number-1], pattern)
}

// realFiles are robots.txt files of real sites, which lie beside the module's
// folder and are no part of it.
func realFiles(t *testing.T) []string {
	t.Helper()
	dir := clitest.Must(filepath.Abs(filepath.Join("..", "..", "..", "..", "..", "shared", "robots-corpus")))(t)
	files := clitest.Must(filepath.Glob(filepath.Join(dir, "*.txt")))(t)
	if len(files) == 0 {
		clitest.Need(t, errors.New("the real robots.txt files are not here: ../shared/robots-corpus"))
	}
	return files
}

func TestAnswerInColor(t *testing.T) {
	ans := answer{URL: "http://h/", Agent: "a", Verdict: disallowed, Group: "a", Rule: "Disallow: /", Line: 2, RobotsURL: "f"}
	want := "\x1b[31mdisallowed\x1b[0m http://h/  a: line 2 of f, \"Disallow: /\" in the group a\n"
	clitest.WantEqual(t, "the result", want, ans.text(cli.ANSI))
}

// answers are the JSON lines of a run of "robots check".
func answers(t *testing.T, r clitest.Result) []answer {
	t.Helper()
	return clitest.JSONLines[answer](t, r.Out)
}
