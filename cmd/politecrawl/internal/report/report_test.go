package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// sampleCrawl writes the output directory of a crawl.
func sampleCrawl(t *testing.T) string {
	t.Helper()
	const site = "https://a.example"
	dir := filepath.Join(t.TempDir(), "crawl")
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	clitest.WriteCrawl(t, dir, map[string]any{"version": 2, "config": map[string]any{"urls": []string{site + "/"}, "links": true}}, map[string][]any{
		"pages.jsonl": {
			output.Page{URL: site + "/", Status: 200, Source: "start", ContentType: "text/html", FetchedAt: now, Links: 2},
			output.Page{URL: site + "/\x1b[31mgone", Status: 404, Source: "link", FoundOn: site + "/", FetchedAt: now},
		},
		"rejected.jsonl": {output.Rejection{
			URL: site + "/private", Reason: output.Disallowed, Rule: "Disallow: /private", Line: 2, RobotsURL: site + "/robots.txt", Group: "*", Source: "link", FoundOn: site + "/",
		}},
		"links.jsonl": {output.Links{URL: site + "/", To: []output.Link{{URL: site + "/\x1b[31mgone"}, {URL: site + "/private"}}}},
	})
	return dir
}

// addPending gives a crawl a frontier with one pending URL.
func addPending(t *testing.T, dir string) *logstore.Store {
	t.Helper()
	store, err := logstore.Open(filepath.Join(dir, crawldir.FrontierFolder), nil)
	if err == nil {
		_, err = store.Add(t.Context(), []frontier.Item{{URL: "https://a.example/later"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestReport(t *testing.T) {
	dir := sampleCrawl(t)
	printed := func() string {
		t.Helper()
		got := run(t, "report", dir)
		if got.Code != cli.ExitDone || got.Stderr != "" {
			t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
		}
		return strings.ReplaceAll(got.Out, dir, "DIR")
	}
	clitest.Golden(t, filepath.Join("report", "unknown.txt"), printed())
	store := addPending(t, dir)
	clitest.Golden(t, filepath.Join("report", "running.txt"), printed())
	clitest.OK(t, store.Close())
	clitest.Golden(t, filepath.Join("report", "stopped.txt"), printed())
	for _, name := range []string{report.HTMLFile, report.JSONFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The page says what changed since another crawl, or that nothing did.
func TestReportSinceABaseline(t *testing.T) {
	before, after := sampleCrawl(t), sampleCrawl(t)
	shows := func(args []string, parts ...string) {
		t.Helper()
		if got := run(t, append([]string{"report"}, args...)...); got.Code != cli.ExitDone || got.Stderr != "" {
			t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
		}
		clitest.WantParts(t, clitest.ReadText(t, filepath.Join(args[0], report.HTMLFile)), parts...)
	}
	shows([]string{after, "--baseline", before}, `id="changes"`, "Compared with "+before, "nothing changed")
	pages := filepath.Join(after, "pages.jsonl")
	clitest.OK(t, os.WriteFile(pages, []byte(strings.Replace(clitest.ReadText(t, pages), `"title":""`, `"title":"Home"`, 1)), 0o600))
	shows([]string{after, "--baseline", before}, `id="rule-fixed-title-missing"`, "Fixed: Pages without title")
	shows([]string{before, "--baseline", after}, `id="rule-new-title-missing"`, "New: Pages without title")
	for _, args := range [][]string{{after, "--links-to", "https://a.example/"}, {before, after, "--output", t.TempDir()}} {
		run(t, append([]string{"report", "--baseline", before}, args...)...).WantRefusal(t, cli.ExitMisuse, "--baseline")
	}
}

// A command that is interrupted writes no file, and its exit code tells.
func TestInterruptedReport(t *testing.T) {
	dir := sampleCrawl(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr clitest.Buffer
	streams := &cli.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}
	if code := streams.Run(ctx, program(streams), []string{"report", dir}); code != cli.ExitInterrupted || out.String() != "" || stderr.String() != "" {
		t.Errorf("exit code %d: %q, %q", code, out.String(), stderr.String())
	}
	if clitest.Exists(filepath.Join(dir, report.JSONFile)) {
		t.Error("the report is written")
	}
}

func TestReportJSON(t *testing.T) {
	dir := sampleCrawl(t)
	clitest.OK(t, addPending(t, dir).Close())
	got := run(t, "report", dir, "--format", "json", "--rows", "1")
	printed := clitest.JSON[Printed](t, got.Out)
	if got.Code != cli.ExitDone || strings.Count(got.Out, "\n") != 1 {
		t.Fatalf("exit code %d: %q", got.Code, got.Out)
	}
	if printed.HTML != filepath.Join(dir, "report.html") || printed.Summary.State != report.Stopped || printed.Summary.Remaining != 1 || len(printed.Highlights) < 4 {
		t.Errorf("%+v", printed)
	}
	if whole := clitest.JSON[report.Report](t, clitest.ReadText(t, printed.JSON)); whole.Summary.Pages != 2 || len(whole.Origins.Rows) != 1 || len(whole.Directories.Rows) != 1 {
		t.Errorf("%+v", whole)
	}
}

// workerCrawls writes the output directories of two workers of a crawl, of which the
// second may have been killed, and returns where they are.
func workerCrawls(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	const site = "https://a.example"
	for i, name := range names {
		state := map[string]any{"version": 2, "config": map[string]any{"urls": []string{site + "/"}, "frontier": "redis://127.0.0.1:1", "crawl-name": name}}
		if i == 0 {
			state["ended"] = report.CrawlEnd{End: "finished"}
		}
		var pages []any
		for _, page := range []string{"/", fmt.Sprintf("/%d", i)} {
			pages = append(pages, output.Page{URL: site + page, Status: 200, ContentType: "text/html", Source: "link"})
		}
		clitest.WriteCrawl(t, filepath.Join(root, fmt.Sprintf("w%d", i+1)), state, map[string][]any{"pages.jsonl": pages})
	}
	return root
}

func TestReportOfWorkers(t *testing.T) {
	root := workerCrawls(t, "nightly", "nightly")
	w1, w2, to := filepath.Join(root, "w1"), filepath.Join(root, "w2"), filepath.Join(root, "to", "all")
	got := run(t, "report", w1, w2, "--output", to)
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	clitest.Golden(t, filepath.Join("report", "workers.txt"), strings.ReplaceAll(got.Out, root+"/", ""))
	for _, name := range []string{report.HTMLFile, report.JSONFile} {
		if _, err := os.Stat(filepath.Join(to, name)); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(w1, name)); err == nil {
			t.Errorf("%s is also in w1", name)
		}
	}
	got = run(t, "report", w2, w1, "--output", w1, "--format", "json")
	if printed := clitest.JSON[Printed](t, got.Out); printed.HTML != filepath.Join(w1, report.HTMLFile) ||
		len(printed.Workers) != 2 || printed.Workers[0].Dir != w2 || printed.Workers[0].State != report.Unknown || printed.Summary.Pages != 3 {
		t.Error(got.Out)
	}
	one := filepath.Join(root, "one")
	if got := run(t, "report", w1, "--output", one); got.Code != cli.ExitDone || !strings.Contains(got.Out, filepath.Join(one, report.HTMLFile)) {
		t.Errorf("exit code %d: %s", got.Code, got.Out)
	}
}

// A worker that has its directory open is running, although its frontier is elsewhere.
func TestReportKnowsRunningWorkers(t *testing.T) {
	root := workerCrawls(t, "nightly", "nightly")
	w1, w2, to := filepath.Join(root, "w1"), filepath.Join(root, "w2"), filepath.Join(root, "all")
	lock := clitest.Must(logstore.Lock(filepath.Join(w2, crawldir.FrontierFolder)))(t)
	states := func() string {
		t.Helper()
		printed := clitest.JSON[Printed](t, run(t, "report", w1, w2, "--output", to, "--format", "json").Out)
		if len(printed.Workers) != 2 {
			t.Fatalf("%+v", printed)
		}
		return string(printed.Workers[0].State + " " + printed.Workers[1].State)
	}
	if got := states(); got != "finished running" {
		t.Errorf("while it runs: %s", got)
	}
	clitest.OK(t, lock.Close())
	for range 2 {
		if got := states(); got != "finished unknown" {
			t.Errorf("when it was killed: %s", got)
		}
	}
	if _, err := os.Stat(filepath.Join(w1, crawldir.FrontierFolder)); err == nil {
		t.Error("a frontier was made where there was none")
	}
}

func TestReportOfWorkersRefusals(t *testing.T) {
	t.Chdir(workerCrawls(t, "nightly", "weekly"))
	clitest.OK(t, errors.Join(os.Mkdir("it's", 0o755), os.Mkdir("empty", 0o755), os.WriteFile("file", nil, 0o600)))
	for _, tt := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"no place", []string{"w1", "it's"}, cli.ExitMisuse, []string{"--output", `politecrawl report w1 'it'\''s' --output all`}},
		{"no place of one", []string{"w1", "--output", "file"}, cli.ExitMisuse, []string{`"file"`, "not a directory", "politecrawl report w1 --output DIR"}},
		{"of two crawls", []string{"w1", "w2", "--output", "all"}, cli.ExitMisuse, []string{"not the directories of one crawl", `"w1"`, `"nightly"`, `"w2"`, `"weekly"`}},
		{"twice", []string{"w1", "./w1", "--output", "all"}, cli.ExitMisuse, []string{`"w1" and "./w1" are the same directory`}},
		{"one that is missing", []string{"w1", "w3", "--output", "all"}, cli.ExitMisuse, []string{`no directory "w3"`}},
		{"one of something else", []string{"w1", "empty", "--output", "all"}, cli.ExitMisuse, []string{"holds no crawl", "empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"report"}, tt.args...)...).WantRefusal(t, tt.code, append(tt.words, "politecrawl: report: ")...)
			if _, err := os.Stat("all"); err == nil {
				t.Error("the place of the report was made")
			}
		})
	}
}

func TestReportRefusals(t *testing.T) {
	damaged := sampleCrawl(t)
	clitest.OK(t, os.WriteFile(filepath.Join(damaged, "crawl.json"), []byte("nonsense\n"), 0o600))
	taken := sampleCrawl(t)
	clitest.OK(t, os.Mkdir(filepath.Join(taken, report.HTMLFile), 0o755))
	for _, tt := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"no argument", nil, cli.ExitMisuse, []string{"give the output directory of a crawl"}},
		{"nothing there", []string{filepath.Join(t.TempDir(), "absent")}, cli.ExitMisuse, []string{"no directory", "absent"}},
		{"a directory of something else", []string{t.TempDir()}, cli.ExitMisuse, []string{"holds no crawl", "crawl.json", "name the output directory"}},
		{"no rows", []string{damaged, "--rows", "0"}, cli.ExitMisuse, []string{"--rows", "0 is less than 1"}},
		{"served to others", []string{damaged, "--serve", "0.0.0.0:8080"}, cli.ExitMisuse, []string{`--serve: "0.0.0.0:8080" can be reached from other machines; listen on 127.0.0.1:8080`}},
		{"served nowhere", []string{damaged, "--serve", ""}, cli.ExitMisuse, []string{`--serve: cannot listen on "", write HOST:PORT`}},
		{"served at a port", []string{damaged, "--serve", "8080"}, cli.ExitMisuse, []string{`--serve: cannot listen on "8080", write HOST:PORT`}},
		{"served and written", []string{damaged, "--serve", "127.0.0.1:0", "--output", "x"}, cli.ExitMisuse, []string{"--serve and --output cannot be used together"}},
		{"served and listed", []string{damaged, "--serve", "127.0.0.1:0", "--links-to", "x"}, cli.ExitMisuse, []string{"--serve and --links-to cannot be used together"}},
		{"served and printed", []string{damaged, "--serve", "127.0.0.1:0", "--format", "json"}, cli.ExitMisuse, []string{"--serve and --format cannot be used together"}},
		{"served, and damaged", []string{damaged, "--serve", "127.0.0.1:0"}, cli.ExitFailed, []string{"crawl.json"}},
		{"damaged", []string{damaged}, cli.ExitFailed, []string{"crawl.json"}},
		{"cannot be written", []string{taken}, cli.ExitMisuse, []string{
			"write " + strconv.Quote(filepath.Join(taken, report.HTMLFile)), "the files of the crawl are unchanged", "politecrawl report " + taken + " --output DIR",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"report"}, tt.args...)...).WantRefusal(t, tt.code, append(tt.words, "politecrawl: report: ")...)
		})
	}
}

func TestReportLinksTo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	gone := output.Link{URL: "https://a.example/gone"}
	full := output.Link{URL: gone.URL, Text: "old\x1b[31m", Kind: "a"}
	write := func(files map[string][]any) {
		t.Helper()
		clitest.WriteCrawl(t, dir, map[string]any{"version": 2, "config": map[string]any{}}, files)
	}
	write(map[string][]any{"links.jsonl": {
		output.Links{URL: "https://a.example/", To: []output.Link{{URL: "https://a.example/other"}, gone}},
		output.Links{URL: "https://a.example/other", To: []output.Link{{URL: "https://a.example/gone2"}}},
		output.Links{URL: "https://a.example/full", To: []output.Link{full}, Resources: []output.Link{full}},
		output.Links{URL: "https://a.example/image", Resources: []output.Link{gone}},
	}})
	for _, tt := range []struct{ url, format, want string }{
		{gone.URL, "text", "https://a.example/\nhttps://a.example/full\told\\x1b[31m\nhttps://a.example/image\n"},
		{"HTTPS://A.example:443/x/../gone#top", "json", "{\"page\":\"https://a.example/\"}\n" +
			"{\"page\":\"https://a.example/full\",\"text\":\"old\\u001b[31m\",\"kind\":\"a\"}\n{\"page\":\"https://a.example/image\"}\n"},
		{"https://a.example/", "text", ""},
	} {
		got := run(t, "report", dir, dir, "--links-to", tt.url, "--format", tt.format)
		none := strings.Contains(got.Stderr, "no link to "+tt.url+" is recorded")
		if got.Code != cli.ExitDone || got.Out != tt.want || none != (tt.want == "") || !none && got.Stderr != "" {
			t.Errorf("%s: %+v", tt.url, got)
		}
	}
	if clitest.Exists(filepath.Join(dir, report.HTMLFile)) {
		t.Error("the report is written")
	}
	run(t, "report", dir, "--links-to", "gone").WantRefusal(t, cli.ExitMisuse, "report: --links-to: ", `"gone" has no scheme`)
	run(t, "report", dir, "--links-to", "").WantRefusal(t, cli.ExitMisuse, "report: --links-to: the URL is empty")
	run(t, "report", dir, t.TempDir(), "--links-to", gone.URL).WantRefusal(t, cli.ExitMisuse, "holds no crawl")
	clitest.OK(t, os.Remove(filepath.Join(dir, "links.jsonl")))
	run(t, "report", dir, "--links-to", gone.URL).WantRefusal(t, cli.ExitMisuse, "no links.jsonl", "--links=true")
}
