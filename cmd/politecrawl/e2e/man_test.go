package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// manuals writes the manual pages and returns them by path below the directory.
func manuals(t *testing.T) (dir string, pages map[string]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "man")
	if got := run(t, "man", dir); got.Code != cli.ExitDone || got.Stderr != "" || !strings.HasSuffix(got.Out, " manual pages in "+dir+"\n") {
		t.Fatalf("%+v", got)
	}
	pages = map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		pages[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, pages
}

// TestManualPages holds that each command and topic has its page, with each of its
// flags, and nothing else has one.
func TestManualPages(t *testing.T) {
	_, pages := manuals(t)
	seen := 0
	eachCommand(func(cmd *cobra.Command) {
		if cmd.Name() == "help" || cmd.HasParent() && cmd.Parent().Name() == "help" {
			return
		}
		seen++
		path := "man1/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		if cmd.IsAdditionalHelpTopicCommand() {
			path = "man7/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".7"
		}
		page, ok := pages[path]
		if !ok {
			t.Errorf("there is no %s", path)
			return
		}
		clitest.WantParts(t, page, ".SH \"NAME\"\n", ".SH \"DESCRIPTION\"\n", ".SH \"SEE ALSO\"\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(page, `\fB\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fR`) && !cmd.IsAdditionalHelpTopicCommand() {
				t.Errorf("%s does not tell of --%s", path, f.Name)
			}
		})
	})
	if len(pages) != seen || seen < 20 {
		t.Errorf("%d pages for %d commands and topics", len(pages), seen)
	}
	clitest.WantParts(t, pages["man7/politecrawl-settings.7"], `max\-pages: 0`, `POLITECRAWL_MAX_PAGES=100`, `log: off`)
}

// TestManualPagesAreReproducible holds that nothing of the moment or the machine is in
// a page, but the date that is asked for.
func TestManualPagesAreReproducible(t *testing.T) {
	dir, first := manuals(t)
	other, second := manuals(t)
	clitest.WantEqual(t, "written again", first, second)
	home := clitest.Must(os.UserHomeDir())(t)
	for path, page := range first {
		if regexp.MustCompile(`\b20\d\d-\d\d`).MatchString(strings.SplitN(page, "\n", 2)[0]) {
			t.Errorf("%s has a date: %.200s", path, page)
		}
		for _, place := range []string{dir, other, home + "/"} {
			if strings.Contains(page, place) {
				t.Errorf("%s names %s", path, place)
			}
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	_, dated := manuals(t)
	if want := `.TH "POLITECRAWL" "1" "2023-11-14" "politecrawl `; !strings.HasPrefix(dated["man1/politecrawl.1"], want) {
		t.Errorf("with a date the page begins with %.100q, want %q", dated["man1/politecrawl.1"], want)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	run(t, "man", dir).WantRefusal(t, cli.ExitMisuse, `SOURCE_DATE_EPOCH is "yesterday"`, "seconds since 1970")
}

func TestManMisuse(t *testing.T) {
	run(t, "man").WantRefusal(t, cli.ExitMisuse, "man: give the directory to write")
	run(t, "man", clitest.WriteFile(t, "file", "")).WantRefusal(t, cli.ExitMisuse, "man: ", "not a directory", "choose a directory that you can write to")
	if got := run(t, "man", t.TempDir(), "--quiet"); got != (clitest.Result{}) {
		t.Errorf("with --quiet: %+v", got)
	}
}

// TestManualPagesRender holds that man(1) shows the pages and has nothing to say
// against them.
func TestManualPagesRender(t *testing.T) {
	man := tool(t, "man")
	dir, pages := manuals(t)
	var names []string
	for path := range pages {
		// TestManualPagesLint reads all pages, and man takes seconds for them.
		if !testing.Short() || regexp.MustCompile(`/politecrawl-(crawl|settings|exit-codes)\.\d$`).MatchString(path) {
			names = append(names, filepath.Join(dir, path))
		}
	}
	cmd := exec.CommandContext(t.Context(), man, append([]string{"--warnings=w", "-l"}, names...)...)
	cmd.Env = append(os.Environ(), "MANWIDTH=80", "MANPAGER=cat", "PAGER=cat", "LC_ALL=C.UTF-8")
	var out, warnings strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &warnings
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, warnings.String())
	}
	if warnings.Len() > 0 {
		t.Errorf("man warns:\n%s", warnings.String())
	}
	text := regexp.MustCompile(".\x08").ReplaceAllString(out.String(), "") // bold is a letter over itself
	clitest.WantParts(t, text, "politecrawl crawl [OPTION ...] URL...", "--max-pages N\n", "POLITECRAWL_MAX_PAGES=100",
		"  4  later: a host allows no request yet", "politecrawl crawl --resume example --max-pages 200")
}

// TestManualPagesLint is the same by another reader of manual pages, where it is there.
func TestManualPagesLint(t *testing.T) {
	mandoc := tool(t, "mandoc")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000") // it wants a date, which a page has only when one is asked for
	dir, pages := manuals(t)
	for path := range pages {
		if out, err := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "warning", filepath.Join(dir, path)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
