package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/robotsext"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantInReadme holds the sample of the demo against what the demo printed. Only
// the time that it took and the directory are its own.
func wantInReadme(t *testing.T, printed string) {
	t.Helper()
	var sample string
	for block := range strings.SplitSeq(readme(t), "```") {
		if text, ok := strings.CutPrefix(block, "text\nfinished after "); ok {
			sample = "finished after " + text
		}
	}
	own := regexp.MustCompile(`(finished after |robots/ in |report      )\S+`)
	if diff := cmp.Diff(own.ReplaceAllString(printed, "$1…"), own.ReplaceAllString(sample, "$1…")); diff != "" {
		t.Errorf("the sample in README.md is not what the demo prints (-demo +README):\n%s", diff)
	}
}

// TestReadmeQuotesTheRefusal holds that the error in README.md is the real one.
func TestReadmeQuotesTheRefusal(t *testing.T) {
	site := roundTripper(func(*http.Request) *http.Response {
		answer := httptest.NewRecorder()
		_, _ = answer.WriteString("User-agent: *\nDisallow: /private/\n")
		return answer.Result()
	})
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{Transport: site})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse("https://example.com/private/x")
	if err != nil {
		t.Fatal(err)
	}
	refusal := robots.Check(t.Context(), u)
	if refusal == nil || !strings.Contains(readme(t), "\n"+refusal.Error()+"\n") {
		t.Errorf("README.md does not hold the line %v", refusal)
	}
}

// A roundTripper answers by a function.
type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// TestReadmeSamples holds the samples of what the program says of a robots.txt.
func TestReadmeSamples(t *testing.T) {
	text := readme(t)
	t.Chdir(t.TempDir())
	for name, body := range map[string]string{
		"robots.txt":     "User-agent: *\nDisallow: /private/\nDisalow: /old/\nDisallow: /private/a\n",
		"robots-new.txt": "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n",
	} {
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"lint", "robots.txt"}, {"diff", "robots.txt", "robots-new.txt"}} {
		got := run(t, append([]string{"robots"}, args...)...)
		if got.Code != cli.ExitFindings || !strings.Contains(text, "```text\n"+got.Out+"```\n") {
			t.Errorf("%v: exit code %d, and README.md does not hold what it prints:\n%s", args, got.Code, got.Out)
		}
	}
}

// TestReadmeCommands holds that each command line of README.md is one: its command
// is there and takes these arguments and flags.
func TestReadmeCommands(t *testing.T) {
	found := 0
	for line := range strings.Lines(readme(t)) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "$ politecrawl ")
		if !ok {
			continue
		}
		found++
		line, _, _ = strings.Cut(line, " > ")
		line, _, _ = strings.Cut(line, " < ")
		cmd, rest, err := root(&cli.Streams{}).Find(strings.Fields(line))
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil && cmd.Args != nil {
			err = cmd.Args(cmd, cmd.Flags().Args())
		}
		if err != nil || !cmd.Runnable() || cli.IsGroup(cmd) {
			t.Errorf("politecrawl %s: %v", line, err)
		}
	}
	if found < 15 {
		t.Errorf("only %d command lines were found", found)
	}
}

// TestReadmeListsFiles holds that each file of a crawl is told of.
func TestReadmeListsFiles(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := readme(t)
	for _, f := range files {
		name := f.Name()
		if f.IsDir() {
			name += "/"
		}
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("README.md does not tell of %s", name)
		}
	}
}
