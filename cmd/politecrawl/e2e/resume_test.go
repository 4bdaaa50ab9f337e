package e2e

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestResume holds that the last line of a crawl that is not finished is the
// command that goes on with it, and that this works.
func TestResume(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "my crawl")
	first := run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1")
	last := fmt.Sprintf("to resume: politecrawl crawl --resume '%s' --max-pages N\n", dir)
	if first.Code != cli.ExitDone || !strings.HasSuffix(first.Out, last) {
		t.Fatalf("code %d, out %q; want the last line %q", first.Code, first.Out, last)
	}
	asked := len(site.requested())
	second := run(t, "crawl", "--resume", dir, "--max-pages", "0", "--format", "json")
	if second.Code != cli.ExitDone || !strings.HasPrefix(second.Stderr, "resuming the crawl of 1 host into ") || strings.Contains(second.Out, "resume_command") {
		t.Errorf("code %d, out %q, standard error %q", second.Code, second.Out, second.Stderr)
	}
	nothing := fmt.Sprintf("note: no URLs remain; to request all of them again: politecrawl crawl --recrawl '%s'\n", dir)
	if third := done(t, "crawl", "--resume", dir); !strings.HasSuffix(third.Stderr, nothing) || strings.Contains(second.Stderr, nothing) {
		t.Errorf("standard error %q of a finished crawl, %q of one that was not", third.Stderr, second.Stderr)
	}
	whole := done(t, "crawl", site.url, "--output", filepath.Join(t.TempDir(), "whole"), "--delay", "0s")
	_, after, _ := strings.Cut(whole.Out, " in ")
	wholeDir, _, _ := strings.Cut(after, "\n")
	pages, want := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")), jsonLines[output.Page](t, filepath.Join(wholeDir, "pages.jsonl"))
	if len(pages) != len(want) || asked >= len(site.requested()) {
		t.Errorf("%d pages, a crawl in one go has %d", len(pages), len(want))
	}
	// What was said by flags stays said, and can be changed.
	saved, err := crawler.LoadConfig(dir)
	if err != nil || saved.Limits.MaxPages != 0 || saved.Politeness.Delay != 0 || len(saved.URLs) != 1 {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if again := run(t, "crawl", "--recrawl", dir, "--delay", "1ms"); again.Code != cli.ExitDone ||
		!strings.Contains(again.Stderr, "recrawling 1 host into ") || !strings.Contains(again.Out, "unchanged") {
		t.Errorf("%+v", again)
	}
}

func TestResumeMisuse(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s")
	empty := t.TempDir()
	program.WantMisuse(t, []string{"crawl"}, []clitest.Misuse{
		{"no crawl", []string{"--resume", empty}, []string{"--resume", empty, "holds no crawl", "start a crawl with: politecrawl crawl"}},
		{"no crawl", []string{"--recrawl", empty}, []string{"--recrawl", empty, "holds no crawl"}},
		{"no directory", []string{"--resume", ""}, []string{"--resume names no directory"}},
		{"the frontier", []string{"--resume", filepath.Join(dir, "frontier")}, []string{"is part of the crawl", "give that directory: --resume " + dir + "\n"}},
		{"a file", []string{"--recrawl", filepath.Join(dir, "pages.jsonl")}, []string{"is part of the crawl", ": --recrawl " + dir + "\n"}},
		{"not there", []string{"--resume", filepath.Join(dir, "absent")}, []string{"holds no crawl", "start a crawl with"}},
		{"both", []string{"--resume", dir, "--recrawl", dir}, []string{"not both"}},
		{"start URLs", []string{"--resume", dir, "http://h/"}, []string{"start URLs", dir}},
		{"url file", []string{"--resume", dir, "--url-file", "x"}, []string{"start URLs", dir}},
		{"output", []string{"--resume", dir, "--output", "x"}, []string{"omit --output"}},
		{"config", []string{"--recrawl", dir, "--config", "x.yaml"}, []string{"not with --config"}},
		{"bad value", []string{"--resume", dir, "--concurrency", "0"}, []string{"concurrency"}},
		{"a second crawl", []string{site.url, "--output", dir}, []string{"--output", dir, "or resume it: politecrawl crawl --resume " + dir}},
	})
	if _, err := os.Stat(filepath.Join(empty, "frontier")); err == nil {
		t.Error("a refused resume has left something behind")
	}
}

// A second process on a directory is refused with the process id of the first.
func TestSecondProcessOnADirectoryIsRefused(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	first, _ := startCrawl(t, site, dir)
	for _, args := range [][]string{{site.url, "--output", dir}, {"--resume", dir}, {"--recrawl", dir}} {
		r := run(t, append([]string{"crawl"}, args...)...)
		r.WantRefusal(t, cli.ExitFailed, fmt.Sprintf("process %d", first.Process.Pid), dir, "wait until it ends")
		if isNew := args[0] == site.url; strings.Contains(r.Stderr, "--output") != isNew {
			t.Errorf("%v: %s", args, r.Stderr)
		}
	}
	run(t, "frontier", "stats", dir).WantRefusal(t, cli.ExitFailed, fmt.Sprintf("process %d", first.Process.Pid))
	clitest.OK(t, first.Process.Kill())
	_ = first.Wait()
	close(site.answer)
	clitest.WantParts(t, done(t, "crawl", "--resume", dir, "--max-depth", "0").Out, "pages       1 ")
}

// TestResumeFlags holds that a flag given with --resume or --recrawl takes the place
// of what the crawl had, lists too, and is kept for the next time.
func TestResumeFlags(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	proxies := []string{"http://p.invalid:1", "http://q.invalid:2"}
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--drop-params", "old", "--extract", "old=h2")
	for _, tt := range []struct {
		args []string
		want crawler.Config // only what flags say
	}{
		{[]string{"--resume", dir, "--drop-params", "sid", "--drop-params", "utm_*"},
			crawler.Config{Scope: crawler.Scope{DropParams: []string{"sid", "utm_*"}}, Output: crawler.Output{Extract: []string{"old=h2"}}}},
		{[]string{"--recrawl", dir, "--extract", "name=title", "--extract", "all=a[href*='x,y']@href[]"},
			crawler.Config{Scope: crawler.Scope{DropParams: []string{"sid", "utm_*"}}, Output: crawler.Output{Extract: []string{"name=title", "all=a[href*='x,y']@href[]"}}}},
		{[]string{"--resume", dir, "--proxy", proxies[0], "--proxy", proxies[1]},
			crawler.Config{Scope: crawler.Scope{DropParams: []string{"sid", "utm_*"}}, Output: crawler.Output{Extract: []string{"name=title", "all=a[href*='x,y']@href[]"}}, Fetch: crawler.Fetch{Proxies: proxies}}},
	} {
		done(t, append([]string{"crawl"}, tt.args...)...)
		saved := clitest.Must(crawler.LoadConfig(dir))(t)
		got := crawler.Config{Scope: crawler.Scope{DropParams: saved.Scope.DropParams}, Output: crawler.Output{Extract: saved.Output.Extract}, Fetch: crawler.Fetch{Proxies: saved.Fetch.Proxies}}
		clitest.WantEqual(t, fmt.Sprint(tt.args), tt.want, got, cmpopts.EquateEmpty())
	}
}

// Other purposes cannot resume a crawl. The message says with which it was started.
func TestResumeWithOtherPurposes(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1", "--purpose", "train-ai")
	run(t, "crawl", "--resume", dir, "--purpose", "search").WantRefusal(t, cli.ExitMisuse, "purpose", "the crawl was started with purpose train-ai, unknown allow", "recrawl")
	run(t, "crawl", "--resume", dir, "--unknown", "refuse").WantRefusal(t, cli.ExitMisuse, "the crawl was started with purpose train-ai, unknown allow")
	done(t, "crawl", "--resume", dir, "--max-pages", "2", "--purpose", "train-ai")
	done(t, "crawl", "--resume", dir, "--max-pages", "0")
	done(t, "crawl", "--recrawl", dir, "--purpose", "search")
}

// TestResumeDamaged holds what is said of a crawl whose crawl.json is of no use.
func TestResumeDamaged(t *testing.T) {
	for name, state := range map[string]string{
		"empty": "", "cut off": `{"version":2,"con`, "zeros": "\x00\x00\x00", "another kind": `{"version":2,"config":[]}`,
		"no time": `{"version":2,"started_at":"x"}`, "nothing in it": "{}", "no UTF-8 in a name": "{\"version\":2,\"config\":{\"wri\xf4e\":[\"csv\"]}}",
	} {
		t.Run(name, func(t *testing.T) {
			file := clitest.WriteFile(t, "crawl.json", state)
			for _, flag := range []string{"--resume", "--recrawl"} {
				run(t, "crawl", flag, filepath.Dir(file)).WantRefusal(t, cli.ExitFailed,
					"politecrawl: "+flag+": ", strconv.Quote(file)+" is damaged", "cannot be resumed", "into a new directory")
			}
		})
	}
}

// TestResumeUnwritable holds that who goes on with a crawl is not told to name
// another directory for it.
func TestResumeUnwritable(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s")
	robots := filepath.Join(dir, "robots")
	clitest.OK(t, os.RemoveAll(robots))
	if err := os.WriteFile(robots, nil, 0o600); err != nil { // now nothing can be written there, not even by root
		t.Fatal(err)
	}
	for _, flag := range []string{"--resume", "--recrawl"} {
		r := run(t, "crawl", flag, dir)
		r.WantRefusal(t, cli.ExitMisuse, "politecrawl: "+flag+": ", strconv.Quote(robots), "make it writable")
		if strings.Contains(r.Stderr, "--output") {
			t.Errorf("%s: %s", flag, r.Stderr)
		}
	}
}

// A new crawl refuses a directory with parts of a crawl, and says what to do.
func TestIncompleteCrawlDirectoryIsRefused(t *testing.T) {
	site := smallSite(t)
	for _, removed := range [][]string{
		{"crawl.json"},
		{"crawl.json", "pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "entries.jsonl"},
	} {
		dir := filepath.Join(t.TempDir(), "crawl")
		done(t, "crawl", site.url, "--output", dir, "--delay", "0s")
		for _, name := range removed {
			clitest.OK(t, os.Remove(filepath.Join(dir, name)))
		}
		r := run(t, "crawl", site.url, "--output", dir)
		r.WantRefusal(t, cli.ExitMisuse, "--output: ", strconv.Quote(dir), "name another directory or remove this one", "crawl.json is missing there", "--resume "+dir+" says what to do")
		run(t, "crawl", "--resume", dir).WantRefusal(t, cli.ExitFailed, "crawl.json\" is missing; the frontier", crawldir.NewState)
		clitest.OK(t, os.RemoveAll(filepath.Join(dir, crawldir.FrontierFolder)))
		run(t, "crawl", "--resume", dir).WantRefusal(t, cli.ExitMisuse, "holds no crawl", "start a crawl with")
	}
}

// --resume does not request failed pages again, --recrawl does, as the help says. A recrawl has
// the limits of the crawl.
func TestFailedPagesAreNotRetriedOnResume(t *testing.T) {
	var asked atomic.Int32
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<a href="/broken">x</a> <a href="/more">y</a>`))
		case "/broken":
			asked.Add(1)
			w.WriteHeader(http.StatusInternalServerError)
		default:
			http.NotFound(w, r)
		}
	})
	dir := filepath.Join(t.TempDir(), "crawl")
	for _, tt := range []struct {
		args  []string
		asked int32 // in all
		end   string
	}{
		{[]string{site.URL, "--output", dir, "--delay", "0s", "--retries", "0", "--max-pages", "2"}, 1, "stopped at --max-pages"},
		{[]string{"--resume", dir, "--max-pages", "0"}, 1, "finished"},
		{[]string{"--resume", dir, "--max-pages", "2"}, 1, ""}, // the limit of the next
		{[]string{"--recrawl", dir}, 2, "stopped at --max-pages"},
		{[]string{"--recrawl", dir, "--max-pages", "0"}, 3, "finished"},
	} {
		r := run(t, append([]string{"crawl"}, tt.args...)...)
		if r.Code != cli.ExitDone || !strings.HasPrefix(r.Out, tt.end) || asked.Load() != tt.asked {
			t.Errorf("%v: asked %d times, want %d; %+v", tt.args, asked.Load(), tt.asked, r)
		}
	}
}

// --continue starts a crawl, then resumes it with its settings, and ends at once when it is finished.
func TestContinue(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	command := []string{"crawl", site.url, "--output", dir, "--delay", "0s", "--continue"}
	for i, want := range []string{"stopped at --max-pages", "finished", "finished"} {
		args := append(slices.Clone(command), "--max-pages", map[bool]string{true: "1", false: "0"}[i == 0])
		clitest.WantParts(t, done(t, args...).Out, want)
	}
	wantPages(t, dir, site.url)
	if asked := site.requested(); len(asked) != 3 {
		t.Errorf("requested %q", asked)
	}
	for _, args := range [][]string{{"--resume", dir}, {"--recrawl", dir}} {
		run(t, append(slices.Clone(command), args...)...).WantRefusal(t, cli.ExitMisuse, "--continue resumes the crawl in --output; omit --resume and --recrawl")
	}
	run(t, "crawl", "http://other.test/", "--output", dir, "--continue").WantRefusal(t, cli.ExitMisuse, "does not have the start URL http://other.test/")
	run(t, "crawl", "--output", filepath.Join(dir, "none"), "--continue").WantRefusal(t, cli.ExitMisuse, "give start URLs")
	clitest.OK(t, os.WriteFile(filepath.Join(dir, "crawl.json"), []byte("{"), 0o600))
	run(t, command...).WantRefusal(t, cli.ExitFailed, "crawl.json", "--continue: ", "from a backup")
}

// --continue takes what it is given each time: changed settings of the file, and secrets, which are not
// stored. What is not given stays as it was.
func TestContinueTakesFileAndSecrets(t *testing.T) {
	site := smallSite(t)
	host := strings.TrimPrefix(site.url, "http://")
	dir := t.TempDir()
	file := filepath.Join(dir, "crawl.yaml")
	command := []string{"crawl", "http://me:pw@" + host, "--output", filepath.Join(dir, "crawl"), "--config", file, "--continue"}
	for i, tt := range []struct{ settings, want string }{
		{"workers: 2\nmax-pages: 1\ndelay: 0s\nheader: ['X-Key: 1']\n", "stopped at --max-pages"},
		{"workers: 2\nmax-pages: 2\nheader: ['X-Key: 1']\n", "stopped at --max-pages"},
		{"header: ['X-Key: 1']\n", "stopped at --max-pages"},
		{"max-pages: 0\nheader: ['X-Key: 2']\n", "finished"},
	} {
		clitest.OK(t, os.WriteFile(file, []byte(tt.settings), 0o600))
		got := run(t, command...)
		if notes := strings.Count(got.Stderr, "is deprecated"); got.Code != cli.ExitDone || !strings.Contains(got.Out, tt.want) || notes != strings.Count(tt.settings, "workers") {
			t.Errorf("run %d: %+v, want %q", i, got, tt.want)
		}
	}
	wantPages(t, filepath.Join(dir, "crawl"), site.url)
}

// A resumed crawl writes the formats that it started with, and pages.csv has the pages of
// pages.jsonl. The summary names the files of all formats.
func TestResumedCrawlWritesAllFormats(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	got := done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1", "--also-write", "csv,sqlite", "--also-write", "warc")
	clitest.WantParts(t, got.Out, "files       pages.jsonl, rejected.jsonl, *.csv, *.warc.gz, crawl.sqlite and robots/ in "+dir+"\n")
	done(t, "crawl", "--resume", dir, "--max-pages", "0")
	rows, err := csv.NewReader(strings.NewReader(readText(t, filepath.Join(dir, "pages.csv")))).ReadAll()
	pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl"))
	if err != nil || len(pages) < 2 || len(rows) != len(pages)+1 {
		t.Fatalf("%d pages, %d rows, %v", len(pages), len(rows), err)
	}
	for i, p := range pages {
		if rows[i+1][0] != p.URL {
			t.Errorf("row %d is of %s, line %d of %s", i+1, rows[i+1][0], i, p.URL)
		}
	}
	for _, pattern := range []string{"crawl.sqlite", "crawl-*-00000.warc.gz", "crawl-*-00000.cdxj"} {
		names := clitest.Must(filepath.Glob(filepath.Join(dir, pattern)))(t)
		if len(names) != 1 || readText(t, names[0]) == "" {
			t.Errorf("%s: files %q", pattern, names)
		}
	}
}
