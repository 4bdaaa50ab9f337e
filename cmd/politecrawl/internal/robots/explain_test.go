package robots

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

const explainRobots = `User-agent: *
Disallow: /shop/
Allow: /shop/*.html$
Allow: /shop/page
Disallow: /shop/page
Disallow: /*?session=
Disallow: /caf%C3%A9/%7Emenu

User-agent: ExampleBot
User-agent: OtherBot
Disallow: /

User-agent: EmptyBot
`

// explainTests show one reason each.
var explainTests = []struct {
	name, agent, url string
	because          reason
	matches          int
}{
	{"ROB-MAT-03/longest", "a", "/shop/x.html", becauseLongest, 2},
	{"ROB-MAT-04/tie", "a", "/shop/pages?s=1", becauseTie, 3},
	{"only", "a", "/x?session=1", becauseOnly, 1},
	{"ROB-MAT-15/compared in canonical form", "a", "/a/../café/%7emenu#today", becauseOnly, 1},
	{"ROB-GEN-02/no rule", "*", "/", becauseNoRule, 0},
	{"ROB-MAT-21/robots.txt", "ExampleBot", "/robots.txt", becauseRobots, 1},
	{"ROB-UA-04/several names", "ExampleBot-News+ExampleBot", "/x", becauseOnly, 1},
	{"ROB-UA-08/a group without rules", "EmptyBot", "/x", becauseNoRule, 0},
}

func TestExplainFile(t *testing.T) {
	var text strings.Builder
	for _, tt := range explainTests {
		got := runWith(t, explainRobots, "robots", "check", "--robots", "-", "--explain", "--agent", tt.agent, tt.url)
		fmt.Fprintf(&text, "# %s\n%s\n", tt.name, got.Out)
		if got.Stderr != "" {
			t.Errorf("standard error %q", got.Stderr)
		}
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"robots", "check", "--robots", "-", "--agent", tt.agent, tt.url, "--format", "json"}
			plain, full := answers(t, runWith(t, explainRobots, args...))[0], answers(t, runWith(t, explainRobots, append(args, "--explain")...))[0]
			x := full.Explain
			if x == nil || x.Because != tt.because || len(x.Matches) != tt.matches || x.Fetch != nil || x.Age != nil {
				t.Fatalf("explanation %+v, want %s and %d matches", x, tt.because, tt.matches)
			}
			if full.Line > 0 && x.Matches[0].Line != full.Line {
				t.Errorf("decided by line %d, the first that matches is %d", full.Line, x.Matches[0].Line)
			}
			full.Explain = nil
			clitest.WantEqual(t, "--explain changes the answer", plain, full)
		})
	}
	clitest.Golden(t, "robots/explain.txt", text.String())
	got := runWith(t, explainRobots, "robots", "check", "--robots", "-", "--explain", "--format", "json", "/shop/page.html")
	clitest.Golden(t, "robots/explain.json", got.Out)
	for _, agent := range []string{"a", "a+b", "*"} {
		got := runWith(t, "", "robots", "check", "--robots", "-", "--explain", "--agent", agent, "/")
		if !strings.Contains(got.Out, "group       none, the file ") {
			t.Errorf("%s: %s", agent, got.Out)
		}
	}
}

// TestExplainMany holds that not all of thousands of rules are shown to a person,
// but to a script.
func TestExplainMany(t *testing.T) {
	rules := "User-agent: *\n"
	for i := range 100 {
		rules += "Disallow: /" + strings.Repeat("a", i) + "\n"
	}
	args := []string{"robots", "check", "--robots", "-", "--explain", "/" + strings.Repeat("a", 100)}
	if got := runWith(t, rules, args...); !strings.Contains(got.Out, "and 90 more that match\n") || strings.Count(got.Out, "\n") != 15 {
		t.Errorf("%s", got.Out)
	}
	if n := len(answers(t, runWith(t, rules, append(args, "--format", "json")...))[0].Explain.Matches); n != 100 {
		t.Errorf("%d matches", n)
	}
}

// TestExplainMerged holds that a group says which parts of the file it is merged from.
func TestExplainMerged(t *testing.T) {
	args := []string{"robots", "check", "--robots", "-", "--explain", "--agent", "A", "/"}
	two := "User-agent: a\nDisallow: /x\n\nUser-agent: b\nUser-agent: a\nDisallow: /y\n"
	if got := runWith(t, two, args...); !strings.Contains(got.Out, "A, which the file names (lines 1, 5, merged)\n") && !strings.Contains(got.Out, "a, which the file names (lines 1, 5, merged)\n") {
		t.Errorf("ROB-GRP-09: %s", got.Out)
	}
	if got := runWith(t, strings.Repeat("User-agent: a\nAllow: /x\n", 30), args...); !strings.Contains(got.Out, ", 17, 19 and 20 more, merged)\n") {
		t.Errorf("ROB-GRP-09: %s", got.Out)
	}
}

// ownTimes hides what differs from run to run.
func ownTimes(text string, sites ...string) string {
	for i, site := range sites {
		text = strings.ReplaceAll(text, site, fmt.Sprintf("http://site-%d", i+1))
	}
	text = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d`).ReplaceAllString(text, "YYYY-MM-DD hh:mm:ss ±hh:mm")
	return regexp.MustCompile(`, \d+m?s ago`).ReplaceAllString(text, ", 0s ago")
}

// TestRobotsOfSites holds what each command prints for the robots.txt of a site, or for why there is
// none.
func TestRobotsOfSites(t *testing.T) {
	status := func(code int) string {
		return clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }).URL
	}
	sites := []string{serveRobots(t, "User-agent: *\nDisallow: /a\n").URL, status(http.StatusNoContent), status(http.StatusNotFound), status(http.StatusServiceUnavailable)}
	var text strings.Builder
	for _, command := range []string{"check", "show", "lint", "agents --agent a", "diff -"} {
		for i, site := range sites {
			got := run(t, append(append([]string{"robots"}, strings.Fields(command)...), site+"/page")...)
			fmt.Fprintf(&text, "# robots %s http://site-%d/page\n%s%sexit code %d\n\n", command, i+1, got.Out, got.Stderr, got.Code)
		}
	}
	clitest.Golden(t, "robots/sites.txt", ownTimes(text.String(), sites...))
	for i, outcome := range []string{"rules", "rules", "allow-all", "unreachable"} {
		shown, agents := inOutput(t, run(t, "robots", "show", sites[i], "--format", "json")).Fetch, clitest.JSONLines[matrixOutput](t, run(t, "robots", "agents", sites[i], "--format", "json").Out)
		if shown.Outcome != outcome || len(agents) > 0 && agents[0].Fetch.Status != shown.Status || (len(agents) == 0) != (outcome == "unreachable") {
			t.Errorf("%+v, want outcome %s; agents %+v", shown, outcome, agents)
		}
	}
}

func TestExplainSite(t *testing.T) {
	moved := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "/moved.txt", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = w.Write([]byte(explainRobots))
	})
	absent := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	broken := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	args := []string{"robots", "check", "--explain", moved.URL + "/shop/", absent.URL + "/x", broken.URL + "/x"}
	got := run(t, args...)
	if got.Code != cli.ExitFindings || got.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	clitest.Golden(t, "robots/explain_site.txt", ownTimes(got.Out, moved.URL, absent.URL, broken.URL))

	answers := answers(t, run(t, append(args, "--format", "json")...))
	for i, want := range []struct {
		because reason
		status  int
		chain   int
	}{{becauseOnly, 200, 2}, {becauseNoFile, 404, 1}, {becauseUnreachable, 500, 1}} {
		x := answers[i].Explain
		if x.Because != want.because || x.Fetch.Status != want.status || len(x.Fetch.Chain) != want.chain || x.Age == nil || *x.Age < 0 || *x.Age > 60_000 {
			t.Errorf("%+v, want %+v", x, want)
		}
	}
	if f := answers[0].Explain.Fetch; f.ExpiresAt.Sub(f.FetchedAt).Round(time.Minute) != time.Hour {
		t.Errorf("fetched %v, holds until %v", f.FetchedAt, f.ExpiresAt)
	}
	if answers[2].Explain.Fetch.FailingSince.IsZero() {
		t.Error("not failing")
	}
	if text, err := json.Marshal(answers[0]); err != nil || !strings.Contains(string(text), `"reason":"only"`) {
		t.Errorf("%s, %v", text, err)
	}
}
