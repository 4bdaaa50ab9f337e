package robots

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const showRobots = `Sitemap: https://example.com/sitemap.xml
Host: example.com
User-agent: a
User-agent: b
Disallow: /x # why not
Crawl-delay: 1.5
Disallow /lost

User-agent: *
Allow: /

User-agent: A
Disallow: /y
`

// inOutput decodes the output of a run of "robots show".
func inOutput(t *testing.T, r clitest.Result) fileOutput {
	t.Helper()
	return clitest.JSONLines[fileOutput](t, r.Out)[0]
}

func TestShowFile(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", showRobots)
	got := run(t, "robots", "show", file, "--format", "json")
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	delay := fieldOutput{6, "Crawl-delay", "1.5"}
	want := fileOutput{
		From: file,
		Groups: []groupOutput{
			{Agents: []string{"a"}, Rules: []ruleOutput{{5, "Disallow: /x"}, {13, "Disallow: /y"}}, CrawlDelayMS: 1500, Fields: []fieldOutput{delay}},
			{Agents: []string{"b"}, Rules: []ruleOutput{{5, "Disallow: /x"}}, CrawlDelayMS: 1500, Fields: []fieldOutput{delay}},
			{Agents: []string{"*"}, Rules: []ruleOutput{{10, "Allow: /"}}},
		},
		Sitemaps: []robotstxt.Sitemap{{Line: 1, URL: "https://example.com/sitemap.xml"}},
		Other:    []fieldOutput{{2, "Host", "example.com"}},
	}
	shown := inOutput(t, got)
	if len(shown.Findings) == 0 || shown.Findings[0].Line != 7 {
		t.Errorf("findings %v, want one of line 7", shown.Findings)
	}
	shown.Findings = nil
	clitest.WantEqual(t, "the result", want, shown)
}

func TestShowText(t *testing.T) {
	got := runWith(t, showRobots, "robots", "show", "-")
	want := `standard input

Group a:
     5  Disallow: /x
     6  Crawl-delay: 1.5
    13  Disallow: /y
        1.5s between two requests

Group b:
     5  Disallow: /x
     6  Crawl-delay: 1.5
        1.5s between two requests

Group *:
    10  Allow: /

Sitemaps:
     1  https://example.com/sitemap.xml

Fields outside groups:
     2  Host: example.com

Findings (robots lint finds more):
     7  `
	if !strings.HasPrefix(got.Out, want) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got.Out))
	}
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
}

// TestHostileFileIsEscaped holds that a robots.txt cannot write to the terminal, by whatever
// command. Rules hold no escape, and yet the control characters of Unicode.
func TestHostileFileIsEscaped(t *testing.T) {
	const robots = "User-agent: *\nFoo: \x1b[2J\xff\u009b\nb\x1bd line\nSitemap: https://h/\x1b[2J\nDisallow: /a\u009b2J\nDisallow: /b\u202e\nDisallow: /c\xff\nCrawl-delay: \u009b\n"
	empty := clitest.WriteFile(t, "empty", "")
	for command, part := range map[string]string{
		"show -": `control-character: \x1b[2J\xff\u009b`, "lint -": `\u009b`, "agents -": `/a\u009b2J`, "diff - " + empty: `/c\xff`,
		"check --explain --robots - /a%C2%9B2J": `Disallow: /a\u009b2J`, "check --explain --robots - /b%E2%80%AE": `/b\u202e`, "check --explain --robots - /c%FF": `/c\xff`,
	} {
		got := runWith(t, robots, append([]string{"robots"}, strings.Fields(command)...)...)
		if strings.ContainsAny(got.Out, "\x1b\u009b\u202e") || strings.Contains(got.Out, "\xff") {
			t.Errorf("%s: control characters in %q", command, got.Out)
		}
		clitest.WantParts(t, got.Out, part)
	}
}

func TestShowEmptyFile(t *testing.T) {
	got := runWith(t, "", "robots", "show", "-")
	if want := "standard input\n\nNo group: everything is allowed.\n"; got.Out != want || got.Code != cli.ExitDone {
		t.Errorf("exit code %d, output %q", got.Code, got.Out)
	}
}

func TestShowSite(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.Redirect(w, r, "/moved.txt", http.StatusMovedPermanently)
			return
		}
		_, _ = w.Write([]byte(showRobots))
	})
	before := time.Now()
	shown := inOutput(t, run(t, "robots", "show", site.URL+"/some/page", "--format", "json"))
	f := shown.Fetch
	if shown.From != site.URL+"/robots.txt" || f.Outcome != "rules" || f.Status != 200 || f.Bytes != len(showRobots) || len(shown.Groups) != 3 {
		t.Errorf("shown %+v, fetch %+v", shown, f)
	}
	clitest.WantEqual(t, "chain", []string{site.URL + "/robots.txt", site.URL + "/moved.txt"}, f.Chain)
	if f.FetchedAt.Before(before) || !f.ExpiresAt.After(f.FetchedAt) {
		t.Errorf("fetched at %v, expires at %v", f.FetchedAt, f.ExpiresAt)
	}
	text := run(t, "robots", "show", site.URL)
	clitest.WantParts(t, text.Out, "its rules apply (status 200)", "redirected: "+site.URL+"/robots.txt → "+site.URL+"/moved.txt",
		"valid until: ", time.Now().Format(" -07:00\n"), "Group a:")
}

func TestShowMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"robots", "show"}, []clitest.Misuse{
		{"nothing", nil, []string{"give one URL, file name or -"}},
		{"two", []string{"a", "b"}, []string{"give one URL", `"b"`}},
		{"unsupported scheme", []string{"gopher://h/"}, []string{`"gopher"`, "http or https"}},
		{"no host", []string{"https:///"}, []string{"no host"}},
		{"bad timeout", []string{"http://h", "--timeout", "-1s"}, []string{"--timeout", "-1s"}},
	})
}

// TestShowRealFiles holds that every rule shown of a real file stands on its line.
func TestShowRealFiles(t *testing.T) {
	files := realFiles(t)
	rules := 0
	for i := 0; i < len(files); i += 10 {
		body := clitest.Must(os.ReadFile(files[i]))(t)
		got := run(t, "robots", "show", files[i], "--format", "json")
		if got.Code != cli.ExitDone {
			t.Errorf("%s: exit code %d: %s", files[i], got.Code, got.Stderr)
		}
		for _, g := range inOutput(t, got).Groups {
			for _, r := range g.Rules {
				rules++
				if !lineHolds(string(body), r.Line, r.Rule) {
					t.Errorf("%s: line %d does not hold %q", filepath.Base(files[i]), r.Line, r.Rule)
				}
			}
		}
	}
	if rules < 500 {
		t.Errorf("only %d rules were seen", rules)
	}
}
