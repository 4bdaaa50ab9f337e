package e2e

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/root"
	"github.com/politecrawl/politecrawl/crawler"
)

// flagLine matches a line of help about a flag: its name and its text.
var flagLine = regexp.MustCompile(`(?m)^  (?:-\w,|   ) --([\w-]+)(?:[ =]\S+)? {2,}(\S.*)$`)

// listedFlags returns the names of the flags that a help text lists.
func listedFlags(text string) []string {
	var names []string
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

func TestCrawlHelpFitsOnAScreenAndAHalf(t *testing.T) {
	got := done(t, "crawl", "--help")
	if lines := strings.Count(got.Out, "\n"); lines > 70 {
		t.Errorf("%d lines", lines)
	}
	if !regexp.MustCompile(`\nUse "politecrawl crawl --help-all" for \d+ more flags, .*\n$`).MatchString(got.Out) {
		t.Errorf("the last line does not tell of --help-all:\n%s", got.Out)
	}
	for _, group := range []string{"Input", "Scope", "Politeness", "Limits", "Output", "Sitemaps", "Robots", "Sharing", "Network", "Observability"} {
		if strings.Count(got.Out, "\n\n"+group+":\n  ") != 1 {
			t.Errorf("no group %s", group)
		}
	}
}

// TestHelpAllListsEachFlagOnce holds that each flag is in one group, and that --help lists some
// of those that --help-all lists.
func TestHelpAllListsEachFlagOnce(t *testing.T) {
	for _, command := range []string{"crawl", "plan", "config show", "ci"} {
		args := strings.Fields(command)
		common, all := listedFlags(done(t, append(args, "--help")...).Out), listedFlags(done(t, append(args, "--help-all")...).Out)
		cmd, _, err := root.Command(&cli.Streams{Out: io.Discard, Err: io.Discard}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help-all" {
				want = append(want, f.Name)
			}
		})
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(all)); !slices.Equal(got, want) {
			t.Errorf("%s --help-all lists\n%q, want\n%q", command, got, want)
		}
		if len(common) == 0 || len(common) == len(all) {
			t.Errorf("%s --help lists %d of %d flags", command, len(common), len(all))
		}
		for _, name := range common {
			if !slices.Contains(all, name) {
				t.Errorf("%s --help lists --%s, --help-all does not", command, name)
			}
		}
		if command != "plan" && len(want) < 55 {
			t.Errorf("%s: only %d flags", command, len(want))
		}
	}
}

// TestPlanTakesFlagsThatItDoesNotList holds that plan accepts the flags of a crawl that do not
// change a plan, and that its help omits them.
func TestPlanTakesFlagsThatItDoesNotList(t *testing.T) {
	cmd, _, err := root.Command(&cli.Streams{}).Find([]string{"plan"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags([]string{"--output", "x", "--also-write", "csv", "--frontier", "redis://h", "--max-depth", "2"}); err != nil {
		t.Error(err)
	}
	listed := listedFlags(done(t, "plan", "--help-all").Out)
	for _, name := range []string{"output", "also-write", "frontier", "max-depth", "obey-nofollow", "resume", "listen"} {
		if slices.Contains(listed, name) {
			t.Errorf("plan --help-all lists --%s", name)
		}
	}
}

// eachCommand calls f with each command of the program.
func eachCommand(f func(cmd *cobra.Command)) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root.Command(&cli.Streams{Out: io.Discard, Err: io.Discard}))
}

// TestHelpTexts holds that each command and each flag has a help text, and that of a flag has at
// most 80 characters.
func TestHelpTexts(t *testing.T) {
	eachCommand(func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no help", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no help", cmd.CommandPath(), f.Name)
			}
		})
		usages := cmd.LocalFlags().FlagUsages()
		for _, m := range flagLine.FindAllStringSubmatch(usages, -1) {
			if n := utf8.RuneCountInString(m[2]); n > 80 {
				t.Errorf("%s --%s has %d characters: %s", cmd.CommandPath(), m[1], n, m[2])
			}
		}
		if lines := strings.Count(usages, "\n"); lines != len(listedFlags(usages)) {
			t.Errorf("%s: %d flags on %d lines", cmd.CommandPath(), len(listedFlags(usages)), lines)
		}
	})
}

// The kinds of --check, and the flag for one's own site, are found where a site is checked.
func TestHelpOfChecks(t *testing.T) {
	text := done(t, "help", "checks").Out
	for _, kind := range []string{crawler.CheckAssets, crawler.CheckExternal, crawler.CheckFragments, crawler.CheckCanonical, crawler.CheckHreflang, crawler.CheckAll} {
		if !strings.Contains(text, "\n    "+kind+" ") {
			t.Errorf("no %s in %s", kind, text)
		}
	}
	if !slices.Contains(listedFlags(done(t, "ci", "--help").Out), "audit") {
		t.Error("ci --help does not list --audit")
	}
}
