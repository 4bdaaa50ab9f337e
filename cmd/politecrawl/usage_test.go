package main

import (
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestMisuseOfCommands(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		words []string
	}{
		{[]string{"crwal"}, []string{`unknown command "crwal"`, "did you mean crawl?", "politecrawl help"}},
		{[]string{"zzzzzz"}, []string{`unknown command "zzzzzz"`}},
		{[]string{"robots"}, []string{"robots: say which: agents, check, ", "lint", "show"}},
		{[]string{"robots", "chekc"}, []string{`unknown command "chekc"`, "did you mean check?", `"politecrawl help robots"`}},
		{[]string{"help", "robots", "chekc"}, []string{`unknown command "chekc"`, "did you mean check?"}},
		{[]string{"help", "zzzzzz"}, []string{`unknown command "zzzzzz"`}},
		{[]string{"completion", "tcsh"}, []string{`unknown command "tcsh"`}},
		{[]string{"completion", "bash", "x"}, []string{`"x"`}},
		{[]string{"version", "x"}, []string{"takes no argument", `"x"`}},
		{[]string{"--zzzzzz"}, []string{"politecrawl: unknown flag --zzzzzz; see politecrawl --help"}},
		{[]string{"-z"}, []string{"unknown flag -z"}},
		{[]string{"demo", "--prot", "1"}, []string{"demo: unknown flag --prot", "(did you mean --port?)"}},
		{[]string{"crawl", "--nonsense"}, []string{"crawl: unknown flag --nonsense; see politecrawl crawl --help"}},
		{[]string{"crawl", "--max-page", "1"}, []string{"unknown flag --max-page (did you mean --max-pages?)"}},
		{[]string{"crawl", "--user-agnet", "x"}, []string{"(did you mean --user-agent?)"}},
		{[]string{"crawl", "--workers", "x"}, []string{"crawl: --workers:", `"x" is not a whole number`}},
		{[]string{"crawl", "--quiet=x"}, []string{"crawl: --quiet:", `"x" is neither true nor false`}},
		{[]string{"crawl", "--max-bytes", "1.5"}, []string{"crawl: --max-bytes:", `"1.5" is not a whole number`}},
		{[]string{"crawl", "--response-factor", "x"}, []string{"crawl: --response-factor:", `"x" is not a number`}},
		{[]string{"crawl", "--response-factor", "1e999"}, []string{"crawl: --response-factor:", `"1e999" is not a number`}},
		{[]string{"crawl", "--delay"}, []string{"crawl: --delay needs a value"}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			run(t, tt.args...).wantRefusal(t, exitMisuse, tt.words...)
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{
		nil, {"help"}, {"--help"}, {"help", "exit-codes"}, {"exit-codes"}, {"help", "settings"}, {"help", "robots"}, {"help", "robots", "check"},
		{"crawl", "--help"}, {"help", "help"}, {"help", "completion"},
	} {
		if got := run(t, args...); got.code != exitDone || got.stderr != "" || len(got.out) < 100 {
			t.Errorf("%v: exit code %d, standard error %q, output %q", args, got.code, got.stderr, got.out)
		}
	}
}

// TestEveryCommandIsExplained holds that no command and no flag is without help.
func TestEveryCommandIsExplained(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no help", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no help", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk((&program{out: io.Discard, err: io.Discard}).command())
}

// TestHelpTopics holds that a topic and what it is about stand apart.
func TestHelpTopics(t *testing.T) {
	const line = "\n  politecrawl exit-codes  What the exit code says\n"
	if text := run(t, "help").out; !strings.Contains(text, line) {
		t.Errorf("no line %q in:\n%s", line, text)
	}
}

func TestExitCodesTopicNamesThemAll(t *testing.T) {
	text := run(t, "help", "exit-codes").out
	for _, code := range []int{exitDone, exitFindings, exitMisuse, exitFailed, exitLater, exitInterrupted} {
		if !strings.Contains(text, "  "+strconv.Itoa(code)+"  ") {
			t.Errorf("exit code %d is missing in:\n%s", code, text)
		}
	}
}

func TestWorse(t *testing.T) {
	order := []int{exitInterrupted, exitMisuse, exitFailed, exitFindings, exitLater, exitDone}
	for i, a := range order {
		for _, b := range order[i:] {
			if worse(a, b) != a || worse(b, a) != a {
				t.Errorf("of %d and %d, %d and %d are said to be worse", a, b, worse(a, b), worse(b, a))
			}
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := run(t, "completion", shell); got.code != exitDone || !strings.Contains(got.out, "politecrawl") {
			t.Errorf("%s: exit code %d, %d bytes", shell, got.code, len(got.out))
		}
	}
	if got := run(t, "__complete", "robots", "check", "--format", ""); !strings.HasPrefix(got.out, "text\njson\n") {
		t.Errorf("values of --format are completed as %q", got.out)
	}
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := buildOf(info, true)
	if want := "politecrawl v1.2.3 (revision abc of 2026-01-02T03:04:05Z, modified), " + b.Go + ", " + b.Platform; b.String() != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if got := buildOf(nil, false).Version; got != "(devel)" {
		t.Errorf("version %q where nothing is known", got)
	}
	if got := run(t, "version"); got.code != exitDone || !strings.HasPrefix(got.out, "politecrawl ") || strings.Count(got.out, "\n") != 1 {
		t.Errorf("exit code %d, output %q", got.code, got.out)
	}
	if flag, cmd := run(t, "--version"), run(t, "version"); flag != cmd {
		t.Errorf("--version says %q, version %q", flag.out, cmd.out)
	}
	var decoded build
	if err := json.Unmarshal([]byte(run(t, "version", "--format", "json").out), &decoded); err != nil || decoded.Go == "" {
		t.Errorf("%v in %+v", err, decoded)
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain ASCII, ツ and é": "plain ASCII, ツ and é",
		"\x1b[31mred":          `\x1b[31mred`,
		"a\x00\r\nb":           `a\x00\r\nb`,
		"\xff\xfeutf":          `\xff\xfeutf`,
		"\u009b2J":             `\u009b2J`,
		"\u202eright to left":  `\u202eright to left`,
		"a \ufffd written out": "a \ufffd written out",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestColour(t *testing.T) {
	ans := answer{URL: "http://h/", Agent: "a", Verdict: disallowed, Group: "a", Rule: "Disallow: /", Line: 2, RobotsURL: "f"}
	want := "\x1b[31mdisallowed\x1b[0m http://h/  a: line 2 of f, \"Disallow: /\" in the group of a\n"
	if diff := cmp.Diff(want, ans.text(ansi)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A file is no terminal.
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := (&program{out: file}).painter()(red, "x"); got != "x" {
		t.Errorf("coloured in a file: %q", got)
	}
}
