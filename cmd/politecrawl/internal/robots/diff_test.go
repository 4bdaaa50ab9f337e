package robots

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// The files that robots diff is shown with.
const (
	diffOld = "testdata/robots/old.txt"
	diffNew = "testdata/robots/new.txt"
)

func TestDiffFiles(t *testing.T) {
	got := run(t, "robots", "diff", diffOld, diffNew)
	if got.Code != cli.ExitFindings || got.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	clitest.Golden(t, "robots/diff.txt", got.Out)
	got = run(t, "robots", "diff", diffOld, diffNew, "--format", "json")
	if got.Code != cli.ExitFindings {
		t.Errorf("exit code %d", got.Code)
	}
	clitest.Golden(t, "robots/diff.json", got.Out)
	if got := run(t, "robots", "diff", diffOld, diffNew, "--quiet"); got != (clitest.Result{Code: cli.ExitFindings}) {
		t.Errorf("quiet: %+v", got)
	}
	if got := run(t, "robots", "diff", diffNew, diffNew, "--quiet"); got != (clitest.Result{}) {
		t.Errorf("quiet, no change: %+v", got)
	}
}

// TestDiffExamplesAreRight asks "robots check" about each example.
func TestDiffExamplesAreRight(t *testing.T) {
	diff := clitest.JSON[diffOutput](t, run(t, "robots", "diff", diffOld, diffNew, "--format", "json").Out)
	asked := 0
	for _, a := range diff.Agents {
		for _, c := range a.Changes {
			for file, want := range map[string]decisionOutput{diffOld: c.Old, diffNew: c.New} {
				asked++
				got := answers(t, run(t, "robots", "check", "--robots", file, "--agent", a.Agents[0], "--format", "json", c.Example))[0]
				if got.Verdict != want.Verdict || got.Rule != want.Rule {
					t.Errorf("%s for %s by %s: %+v, want %+v", c.Example, a.Agents[0], file, got, want)
				}
			}
		}
	}
	if asked < 10 {
		t.Errorf("only %d examples", asked)
	}
}

func TestDiffNoChange(t *testing.T) {
	body := clitest.Must(os.ReadFile(diffOld))(t)
	// Other words, other order.
	other := strings.ReplaceAll(string(body), "User-agent", "USER-AGENT")
	parts := strings.Split(strings.ReplaceAll(other, "Disallow: /cart/\n", ""), "\n\n")
	parts[0], parts[2] = parts[2]+"\nDisallow: /cart/", parts[0]+"\nDisallow: /cart/"
	got := runWith(t, strings.Join(parts, "\n# new\n"), "robots", "diff", diffOld, "-")
	want := "old  " + diffOld + "\nnew  standard input\n\nNo change: both files allow the same URLs.\n"
	if got != (clitest.Result{Out: want}) {
		t.Errorf("%+v", got)
	}
	got = run(t, "robots", "diff", diffOld, diffOld, "--format", "json")
	if want := `{"old":"` + diffOld + `","new":"` + diffOld + `","changed":false,"agents":[],"sitemaps":{"added":[],"removed":[]},"complete":true}` + "\n"; got.Out != want {
		t.Errorf("got  %swant %s", got.Out, want)
	}
}

func TestDiffSites(t *testing.T) {
	old := serveRobots(t, "User-agent: *\nDisallow: /a\nCrawl-delay: 40\n")
	broken := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })

	got := runWith(t, "User-agent: *\nDisallow: /b\nCrawl-delay: 50\n", "robots", "diff", old.URL+"/page", "-")
	want := `old  http://site-1/robots.txt
new  standard input

For every agent:
  /a  disallowed, now allowed
      old: line 2, "Disallow: /a"
      new: no rule matches
  /b  allowed, now disallowed
      old: no rule matches
      new: line 2, "Disallow: /b"
  Crawl-delay: 40s, now 50s  (politecrawl waits 30s for both)

3 changes for every agent
`
	if text := ownTimes(got.Out, old.URL); text != want || got.Code != cli.ExitFindings {
		t.Errorf("exit code %d:\n%s", got.Code, text)
	}
	run(t, "robots", "diff", diffOld, broken.URL).WantRefusal(t, cli.ExitLater, "robots diff: "+broken.URL+"/robots.txt is unreachable: ", "retry after")
}

// TestDiffLimit holds that no more is listed than can be read, and that the last line
// says how much there is.
func TestDiffLimit(t *testing.T) {
	rules := func(name string) string {
		text := ""
		for _, agent := range []string{"a", "b", "*"} {
			text += "User-agent: " + agent + "\n"
			for i := range 200 {
				text += fmt.Sprintf("Disallow: /%s%s%d/\n", name, strings.Trim(agent, "*"), i)
			}
			text += "Crawl-delay: " + fmt.Sprint(len(name)) + "\n"
		}
		return text + "Sitemap: http://h/" + name + "\n"
	}
	file := clitest.WriteFile(t, "new.txt", rules("yy"))
	for _, tt := range []struct {
		args     []string
		changes  int
		sections int
		last     string
	}{
		{nil, 99, 3, "1203 changes for 2 named agents and for any other agent, 2 changes to sitemaps; 100 are listed, --limit 0 lists all"},
		{[]string{"--limit", "12"}, 12, 3, "; 12 are listed, --limit 0 lists all"},
		{[]string{"--limit", "0"}, 1203, 3, "\n1203 changes for 2 named agents and for any other agent, 2 changes to sitemaps"},
	} {
		got := runWith(t, rules("x"), append([]string{"robots", "diff", "-", file}, tt.args...)...)
		changes := strings.Count(got.Out, "allowed, now ") + strings.Count(got.Out, "Crawl-delay: 1s, now 2s\n")
		if n := strings.Count(got.Out, "\nFor "); changes != tt.changes || n != tt.sections || !strings.HasSuffix(got.Out, tt.last+"\n") || got.Code != cli.ExitFindings {
			t.Errorf("%q: %d changes, %d sections:\n%s", tt.args, changes, n, got.Out)
		}
	}
	json := runWith(t, rules("x"), "robots", "diff", "-", file, "--format", "json").Out
	if n := strings.Count(json, `"pattern"`); n != 1200 {
		t.Errorf("%d changes for a script", n)
	}
}

// TestDiffHTML holds that a page in the place of a robots.txt is called one.
func TestDiffHTML(t *testing.T) {
	site := serveRobots(t, "<html>\n<body>Not here</body>\n").URL
	got := run(t, "robots", "diff", diffOld, site)
	if got.Code != cli.ExitFindings || !strings.Contains(got.Stderr, "/robots.txt is an HTML page") {
		t.Errorf("ROB-FMT-04: %+v", got)
	}
}

// TestDiffOfTooComplexFiles holds that files which are too intricate to be compared are
// not said to be the same.
func TestDiffOfTooComplexFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares patterns for half a minute before it gives up")
	}
	stars := func(allow, disallow string) string {
		rules := "User-agent: *\n"
		for i := range 100 {
			rules += "Disallow: /" + strings.Repeat("*"+disallow, 1000+i) + "\nAllow: /" + strings.Repeat("*"+allow, 900+i) + "\n"
		}
		return rules
	}
	got := runWith(t, stars("ab", "a"), "robots", "diff", "-", clitest.WriteFile(t, "new.txt", stars("ba", "b")))
	if got.Code == cli.ExitDone || !strings.Contains(got.Stderr, "to be compared completely") {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
}

func TestDiffMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"robots", "diff"}, []clitest.Misuse{
		{"nothing", nil, []string{"give two files or URLs"}},
		{"one", []string{"a"}, []string{"give two files or URLs"}},
		{"three", []string{"a", "b", "c"}, []string{"give two files or URLs", `"c"`}},
		{"standard input twice", []string{"-", "-"}, []string{"cannot be both"}},
		{"unsupported scheme", []string{"gopher://h/", diffNew}, []string{`"gopher"`, "http or https"}},
		{"bad limit", []string{diffOld, diffNew, "--limit", "-1"}, []string{"--limit", "-1"}},
		{"bad timeout", []string{diffOld, diffNew, "--timeout", "0s"}, []string{"--timeout", "0s"}},
		{"no product token", []string{"http://h/", diffNew, "--user-agent", "Mozilla/5.0"}, []string{"--user-agent"}},
	})
}
