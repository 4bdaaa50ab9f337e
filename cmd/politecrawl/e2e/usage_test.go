package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

func TestMisuseOfCommands(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		words []string
	}{
		{[]string{"crwal"}, []string{`unknown command "crwal"`, "did you mean crawl?", "politecrawl help"}},
		{[]string{"zzzzzz"}, []string{`unknown command "zzzzzz"`}},
		{[]string{"https://example.com/"}, []string{`"https://example.com/" is a URL, not a command`, "politecrawl crawl https://example.com/"}},
		{[]string{"HTTP://example.com/?a&b", "--delay", "1s"}, []string{"politecrawl crawl 'HTTP://example.com/?a&b'"}},
		{[]string{"--delay", "1s", "https://example.com/"}, []string{"politecrawl crawl https://example.com/"}},
		{[]string{"https://me:secret@example.com/"}, []string{"politecrawl crawl 'https://***@example.com/'"}},
		{[]string{"example.com"}, []string{`unknown command "example.com"; to crawl the site: politecrawl crawl https://example.com`}},
		{[]string{"localhost:8000/a"}, []string{"politecrawl crawl http://localhost:8000/a"}},
		{[]string{"main_test.go"}, []string{`unknown command "main_test.go"; "politecrawl help" lists the commands`}}, // a file
		{[]string{"crawl.yaml"}, []string{`unknown command "crawl.yaml"; "politecrawl help" lists the commands`}},
		{[]string{"urls.TXT"}, []string{`unknown command "urls.TXT"; "politecrawl help" lists the commands`}},
		{[]string{"example.com/index.html"}, []string{"politecrawl crawl https://example.com/index.html"}},
		{[]string{"ftp://example.com/"}, []string{`unknown command "ftp://example.com/"; "politecrawl help"`}},
		{[]string{"crwal", "https://example.com/"}, []string{`unknown command "crwal"`, "did you mean crawl?"}},
		{[]string{"robots", "https://example.com/"}, []string{`unknown command "https://example.com/"`, "politecrawl help robots"}},
		{[]string{"robots"}, []string{"robots: give a command: agents, check, ", "lint", "show"}},
		{[]string{"robots", "chekc"}, []string{`unknown command "chekc"`, "did you mean check?", `"politecrawl help robots"`}},
		{[]string{"help", "robots", "chekc"}, []string{`unknown command "chekc"`, "did you mean check?"}},
		{[]string{"help", "zzzzzz"}, []string{`unknown command or topic "zzzzzz"`}},
		{[]string{"completion", "tcsh"}, []string{`unknown command "tcsh"`}},
		{[]string{"completion", "bash", "x"}, []string{`"x"`}},
		{[]string{"version", "x"}, []string{"takes no arguments", `"x"`}},
		{[]string{"--zzzzzz"}, []string{"politecrawl: unknown flag --zzzzzz; see politecrawl --help"}},
		{[]string{"-z"}, []string{"unknown flag -z"}},
		{[]string{"demo", "--prot", "1"}, []string{"demo: unknown flag --prot", "(did you mean --port?)"}},
		{[]string{"crawl", "--nonsense"}, []string{"crawl: unknown flag --nonsense; see politecrawl crawl --help"}},
		{[]string{"crawl", "--max-page", "1"}, []string{"unknown flag --max-page (did you mean --max-pages?)"}},
		{[]string{"crawl", "--user-agnet", "x"}, []string{"(did you mean --user-agent?)"}},
		{[]string{"crawl", "--concurrency", "x"}, []string{"crawl: --concurrency:", `"x" is not a whole number`}},
		{[]string{"crawl", "--quiet=x"}, []string{"crawl: --quiet:", `"x" is not true or false`}},
		{[]string{"crawl", "--max-bytes", "1.5"}, []string{"crawl: --max-bytes:", `"1.5" is not a whole number`}},
		{[]string{"crawl", "--response-factor", "x"}, []string{"crawl: --response-factor:", `"x" is not a number`}},
		{[]string{"crawl", "--response-factor", "1e999"}, []string{"crawl: --response-factor:", `"1e999" is not a number`}},
		{[]string{"crawl", "--delay"}, []string{"crawl: --delay needs a value"}},
		{[]string{"crawl", "-d"}, []string{"crawl: -d needs a value"}},
		{[]string{"crawl", "-d", "x"}, []string{"crawl: --delay:", `"x" is not a duration`}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			run(t, tt.args...).WantRefusal(t, cli.ExitMisuse, tt.words...)
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{
		{}, {"help"}, {"--help"}, {"help", "exit-codes"}, {"exit-codes"}, {"help", "settings"}, {"help", "robots"}, {"help", "robots", "check"},
		{"crawl", "--help"}, {"help", "help"}, {"help", "completion"},
	} {
		if got := run(t, args...); got.Code != cli.ExitDone || got.Stderr != "" || len(got.Out) < 100 {
			t.Errorf("%v: exit code %d, standard error %q, output %q", args, got.Code, got.Stderr, got.Out)
		}
	}
}

// TestHelpLists holds that the help lists the topics, and that of exit codes all codes.
func TestHelpLists(t *testing.T) {
	clitest.WantParts(t, run(t, "help").Out, "\nHelp topics:\n  checks      What --check requests besides pages\n  exit-codes  What the exit codes mean\n")
	text := run(t, "help", "exit-codes").Out
	for _, code := range []int{cli.ExitDone, cli.ExitFindings, cli.ExitMisuse, cli.ExitFailed, cli.ExitLater, cli.ExitInterrupted} {
		clitest.WantParts(t, text, "  "+strconv.Itoa(code)+"  ")
	}
}

func TestVersion(t *testing.T) {
	if got := run(t, "version"); got.Code != cli.ExitDone || !strings.HasPrefix(got.Out, "politecrawl ") || strings.Count(got.Out, "\n") != 1 {
		t.Errorf("exit code %d, output %q", got.Code, got.Out)
	}
	if flag, cmd := run(t, "--version"), run(t, "version"); flag != cmd {
		t.Errorf("--version says %q, version %q", flag.Out, cmd.Out)
	}
	if decoded := clitest.JSON[cli.Build](t, run(t, "version", "--format", "json").Out); decoded.Go == "" {
		t.Errorf("%+v", decoded)
	}
}

// TestFileThatCannotBeOpenedIsMisuse holds that every command says and returns the same
// about a file that it was given and that cannot be opened.
func TestFileThatCannotBeOpenedIsMisuse(t *testing.T) {
	for command, args := range map[string][]string{
		"robots check":  {"/a", "--robots"},
		"robots show":   {},
		"robots lint":   {},
		"robots agents": {},
		"robots diff":   {filepath.Join("..", "internal", "robots", "testdata", "robots", "old.txt")},
		"permit":        {"/a", "--robots"},
		"sitemap":       {},
		"crawl":         {"--url-file"},
		"plan":          {"--url-file"},
		"config show":   {"--url-file"},
	} {
		t.Run(command, func(t *testing.T) {
			args = append(strings.Fields(command), args...)
			run(t, append(args, "absent.txt")...).WantRefusal(t, cli.ExitMisuse, `"absent.txt"`, "no such file", "name a file that you can read")
			run(t, append(args, t.TempDir())...).WantRefusal(t, cli.ExitMisuse, "is a directory", "name a file that you can read")
			if strings.HasPrefix(command, "robots") {
				run(t, append(args, "absent.example/x")...).WantRefusal(t, cli.ExitMisuse, command+": ", "for the robots.txt of a site, write https://absent.example/x")
			}
		})
	}
	for name, args := range map[string][]string{
		"password":    {"redis://127.0.0.1:1", "--frontier-password-file", "absent.txt"},
		"authority":   {"rediss://127.0.0.1:1?ca=absent.txt"},
		"certificate": {"rediss://127.0.0.1:1?cert=absent.txt&key=absent.txt"},
	} {
		t.Run("frontier/"+name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			for _, command := range [][]string{{"crawl", "http://127.0.0.1:1/", "--output", out}, {"crawl", "status", "news"}, {"crawl", "delete", "news"}} {
				run(t, append(append(command, "--frontier"), args...)...).WantRefusal(t, cli.ExitMisuse, name, "absent.txt", "no such file", "name a file that you can read")
			}
			if clitest.Exists(out) {
				t.Error("the output directory was made")
			}
		})
	}
}
