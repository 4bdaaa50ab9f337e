package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestTruncatedPagesAreNamed: every page that a limit truncated is named with the limit, in
// the summary for people and for scripts and in report.json.
func TestTruncatedPagesAreNamed(t *testing.T) {
	pages := map[string]string{"/": "<title>" + strings.Repeat("x", 2000) + "</title>"}
	for i := range 5 {
		pages["/"] += fmt.Sprintf("<a href=/%d>x</a>", i)
		pages[fmt.Sprintf("/%d", i)] = "<a href=/a>a</a><a href=/b>b</a><a href=/b#again>b</a><a href=/c>c</a>"
	}
	site := newTestSite(t, pages)
	dir := filepath.Join(t.TempDir(), "out")
	got := run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-links", "2", "--concurrency", "1", "--max-body", "1000")
	if want := fmt.Sprintf("  truncated   1 page (max-body: 1): %s/\n", site.url); got.Code != cli.ExitDone || !strings.Contains(got.Out, want) {
		t.Errorf("exit code %d, %s; want %q", got.Code, got.Out, want)
	}
	dir = filepath.Join(t.TempDir(), "out")
	got = run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-links", "5", "--concurrency", "1")
	if strings.Contains(got.Out, "cut") {
		t.Errorf("none was truncated: %s", got.Out)
	}
	dir = filepath.Join(t.TempDir(), "out")
	got = run(t, "crawl", site.url+"/0", site.url+"/1", site.url+"/2", site.url+"/3", "--output", dir, "--delay", "0s", "--max-links", "2", "--concurrency", "1")
	if want := fmt.Sprintf("  truncated   4 pages (max-links: 4): %[1]s/0, %[1]s/1, %[1]s/2 and 1 more; see limits_reached in pages.jsonl\n", site.url); !strings.Contains(got.Out, want) {
		t.Errorf("%s; want %q", got.Out, want)
	}
	made := clitest.JSON[report.Report](t, readText(t, filepath.Join(dir, report.JSONFile)))
	if rows := made.Truncated.Rows; made.Truncated.Total != 4 || len(rows) != 4 || strings.Join(rows[0].LimitsReached, " ") != "max-links" || rows[0].LinksSkipped != 1 {
		t.Errorf("report.json: %+v", made.Truncated)
	}
	got = run(t, "crawl", "--resume", dir, "--format", "json", "--quiet") // an earlier process has truncated them
	sum := clitest.JSON[crawler.Summary](t, got.Out)
	if c := sum.Truncated; c.Pages != 4 || c.Limits["max-links"] != 4 || len(c.First) != 4 || c.First[3].Limits[0] != "max-links" {
		t.Errorf("%+v", c)
	}
}

// TestLostLinesAreReported: what a file has lost is said with --quiet too, in the summary and in
// report.json, also by a report that is made without going on.
func TestLostLinesAreReported(t *testing.T) {
	lines := func(dir string) (lost []report.Loss) {
		t.Helper()
		return clitest.JSON[report.Report](t, readText(t, filepath.Join(dir, report.JSONFile))).Lost
	}
	site := smallSite(t)
	for _, flags := range [][]string{nil, {"--quiet"}, {"--quiet", "--format", "json"}} {
		dir := filepath.Join(t.TempDir(), "out")
		run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "2", "--quiet")
		info := clitest.Must(os.Stat(filepath.Join(dir, "pages.jsonl")))(t)
		clitest.OK(t, os.Remove(filepath.Join(dir, "pages.jsonl")))
		want := output.Loss{File: "pages.jsonl", Bytes: info.Size(), SizeBefore: info.Size()}
		run(t, "report", dir)
		if lost := lines(dir); len(lost) != 1 || lost[0].Loss != want {
			t.Errorf("report.json before it goes on: %+v", lost)
		}
		got := run(t, append([]string{"crawl", "--resume", dir, "--max-pages", "0"}, flags...)...)
		if got.Code != cli.ExitDone || flags != nil && got.Stderr != "politecrawl: "+want.String()+"\n" {
			t.Errorf("%q: exit code %d, standard error %q", flags, got.Code, got.Stderr)
		}
		if flags == nil && (!strings.Contains(got.Stderr, "note: "+want.String()) || !strings.Contains(got.Out, "  lost        "+want.String()+"\n")) {
			t.Errorf("%q: %+v", flags, got)
		}
		if len(flags) > 1 {
			sum := clitest.JSON[crawler.Summary](t, got.Out)
			if len(sum.Lost) != 1 || sum.Lost[0] != want {
				t.Error(got.Out)
			}
		}
		if lost := lines(dir); len(lost) != 1 || lost[0].Loss != want {
			t.Errorf("report.json in the end: %+v", lost)
		}
	}
}

// A shared crawl is compared by one report of all its workers, as the help says.
func TestCompareSharedCrawls(t *testing.T) {
	const site = "https://a.example"
	root := t.TempDir()
	var reports []string
	for _, status := range []int{200, 404} {
		all := filepath.Join(root, fmt.Sprint("all-", status))
		args := []string{"report", "--output", all}
		for i, p := range []output.Page{{URL: site + "/1", Status: 200}, {URL: site + "/2", Status: status}} {
			dir := filepath.Join(root, fmt.Sprintf("w%d-%d", i, status))
			p.Source, p.ContentType, p.FetchedAt = "start", "text/html", time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
			clitest.WriteCrawl(t, dir, map[string]any{
				"version": 2, "config": map[string]any{"urls": []string{site + "/1"}, "links": true, "frontier": "redis://127.0.0.1:1", "crawl-name": "x"},
				"ended": map[string]any{"end": "finished", "remaining": 0},
			}, map[string][]any{"pages.jsonl": {p}})
			args = append(args, dir)
		}
		done(t, args...)
		reports = append(reports, filepath.Join(all, report.JSONFile))
	}
	got := run(t, "compare", reports[0], reports[1])
	if got.Code != cli.ExitFindings {
		t.Errorf("%+v", got)
	}
	clitest.WantParts(t, got.Out, "all-200", ": 2 pages", "only the findings are compared", "[broken-link]\n      "+site+"/2  (status 404)\n")
	clitest.WantParts(t, done(t, "compare", reports[0], reports[0]).Out, "nothing changed")
	run(t, "compare", filepath.Join(root, "absent"), reports[0]).WantRefusal(t, cli.ExitMisuse, "compare: no file or directory", "report.json")
}
