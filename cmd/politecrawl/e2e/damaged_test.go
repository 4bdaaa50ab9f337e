package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// startedCrawl is a crawl of a small site that was stopped after one page.
func startedCrawl(t *testing.T, site *testSite) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1")
	return dir
}

// copyOf is a copy of a directory.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// wantPages holds that a crawl has each page of a small site once.
func wantPages(t *testing.T, dir, site string) {
	t.Helper()
	pages := map[string]int{}
	for _, p := range jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")) {
		pages[strings.TrimPrefix(p.URL, site)]++
	}
	if len(pages) != 3 || pages["/"] != 1 || pages["/a"] != 1 || pages["/b"] != 1 {
		t.Errorf("pages %v", pages)
	}
}

// flip changes one bit of a file, in its middle if part is 2.
func flip(t *testing.T, name string, part int) error {
	text := []byte(readText(t, name))
	text[len(text)/part] ^= 1
	return os.WriteFile(name, text, 0o600)
}

// Where a frontier is damaged, every command that needs it says what is still good and what
// to do, and changes nothing. What it says to do works.
func TestDamagedFrontierSaysWhatIsGoodAndWhatToDo(t *testing.T) {
	site := smallSite(t)
	begun := startedCrawl(t, site)
	logOf := func(dir string) string { return filepath.Join(dir, crawldir.FrontierFolder, "log") }
	indexOf := func(dir string) string { return filepath.Join(dir, crawldir.FrontierFolder, "index") }
	const lost, partly = "the queue of URLs is lost", "the queue of URLs can be read only in part (politecrawl frontier export "
	for i, tt := range []struct {
		name   string
		damage func(dir string) error
		says   string
	}{
		{"log damaged", func(dir string) error { return errors.Join(flip(t, logOf(dir), 2), os.Remove(indexOf(dir))) }, partly},
		{"beginning damaged", func(dir string) error { return flip(t, logOf(dir), 1<<20) }, lost},
		{"log empty", func(dir string) error { return os.Truncate(logOf(dir), 0) }, lost},
		{"log cut in its beginning", func(dir string) error { return os.Truncate(logOf(dir), 20) }, lost},
		{"log removed", func(dir string) error { return os.Remove(logOf(dir)) }, lost},
		{"directory removed", func(dir string) error { return os.RemoveAll(filepath.Join(dir, crawldir.FrontierFolder)) }, lost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := copyOf(t, begun)
			if err := tt.damage(dir); err != nil {
				t.Fatal(err)
			}
			again := "politecrawl crawl " + cli.ShellWord(site.url) + " --output NEW"
			for _, command := range [][]string{
				{"frontier", "stats", dir}, {"frontier", "ls", dir}, {"frontier", "ls", "--urls", dir}, {"frontier", "export", dir},
				{"crawl", "--resume", dir}, {"crawl", "--recrawl", dir},
			} {
				got := run(t, command...)
				if tt.says == partly && (command[0] == "frontier") {
					got.Out = "" // what precedes the damage
				}
				got.WantRefusal(t, cli.ExitFailed, "are intact (politecrawl report "+cli.ShellWord(dir)+")", tt.says,
					"Restore "+strconv.Quote(filepath.Join(dir, crawldir.FrontierFolder))+" from a backup", "settings in "+strconv.Quote(filepath.Join(dir, "crawl.json")), again)
			}
			for _, file := range []string{"pages.jsonl", "rejected.jsonl", "links.jsonl", "robots.jsonl", "crawl.json"} {
				before, after := readText(t, filepath.Join(begun, file)), readText(t, filepath.Join(dir, file))
				if before != after {
					t.Errorf("%s was changed", file)
				}
			}
			clitest.WantParts(t, done(t, "report", dir).Out, ": 1 page, ")
			if i > 0 { // what is advised is the same
				return
			}
			next := filepath.Join(t.TempDir(), "new")
			done(t, append(strings.Fields(strings.Replace(again, "NEW", next, 1))[1:], "--delay", "0s")...)
			wantPages(t, next, site.url)
			frontier := filepath.Join(dir, crawldir.FrontierFolder)
			if err := os.RemoveAll(frontier); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(frontier, os.DirFS(filepath.Join(begun, crawldir.FrontierFolder))); err != nil {
				t.Fatal(err)
			}
			done(t, "crawl", "--resume", dir, "--max-pages", "0")
			wantPages(t, dir, site.url)
		})
	}
	t.Run("a name that is not there", func(t *testing.T) {
		run(t, "frontier", "stats", filepath.Join(begun, "fronteir")).WantRefusal(t, cli.ExitMisuse, "no directory", "fronteir")
	})
}

// A recrawl finds damage that the index of the frontier hides, before it renames the results.
func TestRecrawlOfDamagedFrontierChangesNothing(t *testing.T) {
	site := smallSite(t)
	dir := startedCrawl(t, site)
	pages := readText(t, filepath.Join(dir, "pages.jsonl"))
	log := filepath.Join(dir, crawldir.FrontierFolder, "log")
	text := []byte(readText(t, log))
	text[len(text)/2] ^= 1
	if err := os.WriteFile(log, text, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "crawl", "--recrawl", dir).WantRefusal(t, cli.ExitFailed, "damaged frontier", "are intact")
	if got := readText(t, filepath.Join(dir, "pages.jsonl")); got != pages {
		t.Errorf("pages.jsonl was changed: %q", got)
	}
}

// Where crawl.json is damaged or gone, what is said about it works: nothing that was fetched is
// requested again, and nothing is missing.
func TestDamagedStateSaysHowToResume(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"removed":    os.Remove,
		"empty":      func(file string) error { return os.Truncate(file, 0) },
		"cut":        func(file string) error { return os.Truncate(file, 100) },
		"other JSON": func(file string) error { return os.WriteFile(file, []byte("{}"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			site := smallSite(t)
			dir := startedCrawl(t, site)
			file := filepath.Join(dir, "crawl.json")
			if err := damage(file); err != nil {
				t.Fatal(err)
			}
			words := []string{strconv.Quote(file) + " is ", "the frontier, with all queued URLs, is still there", "from a backup", crawldir.NewState}
			for _, flag := range []string{"resume", "recrawl"} {
				run(t, "crawl", "--"+flag, dir).WantRefusal(t, cli.ExitFailed, append(words, "politecrawl crawl --"+flag+" "+cli.ShellWord(dir)+", with flags for all settings")...)
			}
			run(t, "report", dir).WantRefusal(t, cli.ExitFailed, append(words, "politecrawl report "+cli.ShellWord(dir))...)
			if name == "removed" {
				run(t, "crawl", site.url, "--output", dir).WantRefusal(t, cli.ExitMisuse, "already holds a crawl", "crawl.json is missing", "--resume "+cli.ShellWord(dir))
			}

			if err := os.WriteFile(file, []byte(strings.Replace(crawldir.NewState, "START URL", site.url, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			clitest.WantParts(t, done(t, "report", dir).Out, ": 1 page, ")
			done(t, "crawl", "--resume", dir, "--delay", "0s")
			wantPages(t, dir, site.url)
			seen := map[string]int{}
			for _, path := range site.requested() {
				if seen[path]++; seen[path] > 1 {
					t.Errorf("%s was requested again", path)
				}
			}
		})
	}
}

// Each command that reads a crawl.json of another version ends with the same exit code, and says
// which version it reads.
func TestCrawlOfAnotherVersionIsRefused(t *testing.T) {
	site := smallSite(t)
	current := startedCrawl(t, site)
	for _, version := range []string{"1", "3"} {
		dir := copyOf(t, current)
		file := filepath.Join(dir, "crawl.json")
		text := strings.Replace(readText(t, file), `"version": 2`, `"version": `+version, 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"crawl", "--resume", dir}, {"crawl", "--recrawl", dir}, {"crawl", site.url, "--output", dir},
			{"report", dir}, {"report", current, dir, "--output", t.TempDir()},
			{"compare", dir, current}, {"compare", current, dir}, {"sitemap", "write", dir}, {"permit", "--verify", dir},
			{"ci", site.url, "--delay", "0s", "--output", filepath.Join(t.TempDir(), "ci"), "--baseline", dir},
		} {
			run(t, args...).WantRefusal(t, cli.ExitMisuse, strconv.Quote(file)+" has version "+version+", and this program reads version 2", "into a new directory")
		}
	}
}

// Damaged lines are said by the crawl that goes on, with --quiet too, and by the report; both
// do what they can.
func TestDamagedLinesAreReported(t *testing.T) {
	for _, name := range []string{"pages.jsonl", "rejected.jsonl", "robots.jsonl"} {
		site := smallSite(t)
		dir := startedCrawl(t, site)
		if name == "rejected.jsonl" { // which does not keep what the end of a run lists
			done(t, "crawl", "--resume", dir, "--max-pages", "0")
		}
		file := filepath.Join(dir, name)
		text := readText(t, file)
		if err := os.WriteFile(file, []byte(strings.Replace(text, `"`, "#", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		says := fmt.Sprintf("%s is damaged: line 1 cannot be read", name)
		clitest.WantParts(t, done(t, "report", dir).Out, says)
		clitest.WantParts(t, done(t, "crawl", "--resume", copyOf(t, dir), "--max-pages", "0").Out, says)
		if got := run(t, "crawl", "--resume", dir, "--max-pages", "0", "--quiet"); got.Code != cli.ExitDone || got.Out != "" || !strings.Contains(got.Stderr, says) {
			t.Errorf("%s, quiet: %+v", name, got)
		}
	}
}
