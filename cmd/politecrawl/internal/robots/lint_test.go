package robots

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// lintSample has many faults. What is said about it lies beside it.
const lintSample = "testdata/robots_lint/robots.txt"

func TestLintGolden(t *testing.T) {
	for format, golden := range map[string]string{"text": "robots_lint/robots.golden", "json": "robots_lint/robots.json"} {
		got := run(t, "robots", "lint", "--format", format, lintSample)
		if got.Code != cli.ExitFindings || got.Stderr != "" {
			t.Errorf("%s: exit code %d, standard error %q", format, got.Code, got.Stderr)
		}
		clitest.Golden(t, golden, got.Out)
	}
	if got := run(t, "robots", "lint", "--quiet", lintSample); got != (clitest.Result{Code: cli.ExitFindings}) {
		t.Errorf("with --quiet: %+v", got)
	}
}

// TestLintErrors runs the command on a file for each fault: it is named with its
// line and a fix, and the exit code says whether it is worse than a note.
func TestLintErrors(t *testing.T) {
	files, err := filepath.Glob("../../../../robotsext/robotstxt/robotslint/testdata/faults/*.txt")
	if err != nil || len(files) < 30 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		got := run(t, "robots", "lint", "--format", "json", file)
		kind := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".txt"), "-utf16")
		found, want := false, cli.ExitDone
		for _, f := range clitest.JSONLines[lintFinding](t, got.Out) {
			found = found || string(f.Kind) == kind
			if f.Severity != "note" {
				want = cli.ExitFindings
			}
			if f.File != file || f.Line == 0 || f.Message == "" || f.Fix == "" || !strings.HasPrefix(f.SpecID, "ROB-") {
				t.Errorf("%s: %+v", file, f)
			}
		}
		if !found || got.Code != want || got.Stderr != "" {
			t.Errorf("%s: exit code %d, want %d, standard error %q, output %q", file, got.Code, want, got.Stderr, got.Out)
		}
	}
}

// TestLintClean holds that a clean file is passed over in silence.
func TestLintClean(t *testing.T) {
	files, err := filepath.Glob("../../../../robotsext/robotstxt/robotslint/testdata/clean/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, format := range []string{"text", "json"} {
		if got := run(t, append([]string{"robots", "lint", "--format", format}, files...)...); got != (clitest.Result{}) {
			t.Errorf("%+v", got)
		}
	}
}

// TestLintStandardInput holds what is said of files with one fault. Only notes are no finding.
func TestLintStandardInput(t *testing.T) {
	for name, tt := range map[string]struct {
		body, format string
		code         int
		says, lacks  string
	}{
		"control character":     {"User-agent: *\nDisallow: a\x1b[2J\n", "text", cli.ExitFindings, "standard input:2: error: ", "\x1b"},
		"longer name, no fix":   {"User-agent: *\nDisallowAITraining: /\nDisallow: /x\n", "text", cli.ExitFindings, "Google's parser may take it for Disallow", "fix:"},
		"two fields, two lines": {"User-agent: *Disallow: /\n", "text", cli.ExitFindings, `"User-agent: *" and "Disallow: /"`, "\x1b"},
		"for a script":          {"User-agent: *Disallow: /\n", "json", cli.ExitFindings, `\"User-agent: *\" and \"Disallow: /\"`, "\x1b"},
		"a note":                {"User-agent: *\nDisallow: /a\nHost: example.com\n", "text", cli.ExitDone, "\n1 note\n", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(t, tt.body, "robots", "lint", "-", "--format", tt.format)
			if got.Code != tt.code || !strings.Contains(got.Out, tt.says) || strings.Contains(got.Out, tt.lacks) {
				t.Errorf("exit code %d, output %q", got.Code, got.Out)
			}
		})
	}
}

func TestLintLimit(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Disallow: a\n", 150)
	for _, tt := range []struct {
		limit        string
		listed, more int
	}{{"100", 100, 50}, {"3", 3, 147}, {"0", 150, 0}} {
		found := clitest.JSONLines[lintFinding](t, runWith(t, body, "robots", "lint", "-", "--limit", tt.limit, "--format", "json").Out)
		if len(found) != tt.listed || found[tt.listed-1].Omitted != tt.more {
			t.Errorf("--limit %s: %d listed, then %+v", tt.limit, len(found), found[len(found)-1])
		}
	}
	text := runWith(t, body, "robots", "lint", "-").Out
	if !strings.HasSuffix(text, "    and 50 more; --limit 0 lists all\n150 errors\n") {
		t.Errorf("ends with %q", text[max(len(text)-200, 0):])
	}
}

func TestLintSite(t *testing.T) {
	site := serveRobots(t, "User-agent: *\nDisallow: /a\nSitemap: /s.xml\n")
	got := run(t, "robots", "lint", site.URL+"/some/page", "--format", "json")
	found := clitest.JSONLines[lintFinding](t, got.Out)
	if got.Code != cli.ExitFindings || len(found) != 1 {
		t.Fatalf("exit code %d, %+v", got.Code, found)
	}
	if f := found[0]; f.File != site.URL+"/robots.txt" || f.Line != 3 || f.Fix != `write "Sitemap: `+site.URL+`/s.xml"` {
		t.Errorf("%+v", f)
	}
}

// TestLintSeveral holds that what cannot be read does not keep the rest from being
// linted.
func TestLintSeveral(t *testing.T) {
	got := run(t, "robots", "lint", "absent.txt", "https:///", lintSample)
	if got.Code != cli.ExitMisuse || !strings.Contains(got.Out, lintSample+":2: ") ||
		!strings.Contains(got.Stderr, "absent.txt") || !strings.Contains(got.Stderr, "no host") {
		t.Errorf("%+v", got)
	}
	if got := run(t, "robots", "lint", lintSample, "absent.txt"); got.Code != cli.ExitMisuse {
		t.Errorf("exit code %d, want %d", got.Code, cli.ExitMisuse)
	}
}

func TestLintMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"robots", "lint"}, []clitest.Misuse{
		{"nothing", nil, []string{"give file names, URLs or -"}},
		{"missing file", []string{"absent.txt"}, []string{"absent.txt", "no such file"}},
		{"directory", []string{"testdata"}, []string{"testdata", "directory"}},
		{"unsupported scheme", []string{"gopher://h/"}, []string{`"gopher"`, "http or https"}},
		{"bad timeout", []string{"http://h", "--timeout", "0s"}, []string{"--timeout"}},
		{"bad limit", []string{"-", "--limit", "-1"}, []string{"--limit", "-1"}},
		{"bad user agent", []string{"http://h", "--user-agent", "007"}, []string{"--user-agent"}},
	})
}
