package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// sampleCrawl writes the output directory of a crawl.
func sampleCrawl(t *testing.T) string {
	t.Helper()
	const site = "https://a.example"
	dir := filepath.Join(t.TempDir(), "crawl")
	d, err := output.Create(dir, map[string]any{"version": 1, "config": map[string]any{"urls": []string{site + "/"}}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	var b output.Batch
	err = errors.Join(
		b.Page(&output.Page{URL: site + "/", Status: 200, Source: "start", ContentType: "text/html", FetchedAt: now, Links: 2}),
		b.Page(&output.Page{URL: site + "/\x1b[31mgone", Status: 404, Source: "link", Via: site + "/", FetchedAt: now}),
		b.Reject(&output.Rejection{
			URL: site + "/private", Reason: output.Disallowed, Rule: "Disallow: /private", Line: 2, RobotsURL: site + "/robots.txt", Group: "*", Source: "link", Via: site + "/",
		}),
		b.Links(&output.Links{URL: site + "/", To: []string{site + "/\x1b[31mgone", site + "/private"}}),
		d.Write(&b), d.Close())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// leave gives a crawl a frontier with a URL left in it.
func leave(t *testing.T, dir string) *pebblestore.Store {
	t.Helper()
	store, err := pebblestore.Open(filepath.Join(dir, frontierFolder), nil)
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
		if got.code != exitDone || got.stderr != "" {
			t.Errorf("exit code %d, standard error %q", got.code, got.stderr)
		}
		return strings.ReplaceAll(got.out, dir, "DIR")
	}
	wantGolden(t, filepath.Join("report", "unknown.txt"), printed())
	store := leave(t, dir)
	wantGolden(t, filepath.Join("report", "running.txt"), printed())
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	wantGolden(t, filepath.Join("report", "stopped.txt"), printed())
	for _, name := range []string{report.HTMLFile, report.JSONFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReportJSON(t *testing.T) {
	dir := sampleCrawl(t)
	if err := leave(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	got := run(t, "report", dir, "--format", "json", "--rows", "1")
	var printed printedReport
	if err := json.Unmarshal([]byte(got.out), &printed); err != nil || got.code != exitDone || strings.Count(got.out, "\n") != 1 {
		t.Fatalf("exit code %d, %v in %q", got.code, err, got.out)
	}
	if printed.HTML != filepath.Join(dir, "report.html") || printed.Summary.State != report.Stopped || printed.Summary.Left != 1 || len(printed.Findings) < 4 {
		t.Errorf("%+v", printed)
	}
	var whole report.Report
	body, err := os.ReadFile(printed.JSON)
	if err == nil {
		err = json.Unmarshal(body, &whole)
	}
	if err != nil || whole.Summary.Pages != 2 || len(whole.Slowest.Rows) != 1 || whole.Slowest.Total != 2 {
		t.Errorf("%v in %s", err, body)
	}
}

func TestReportRefusals(t *testing.T) {
	damaged := sampleCrawl(t)
	if err := os.WriteFile(filepath.Join(damaged, output.PagesFile), []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := sampleCrawl(t)
	if err := os.Mkdir(filepath.Join(taken, report.HTMLFile), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"no argument", nil, exitMisuse, []string{"give the output directory of a crawl"}},
		{"nothing there", []string{filepath.Join(t.TempDir(), "absent")}, exitMisuse, []string{"no directory", "absent"}},
		{"a directory of something else", []string{t.TempDir()}, exitMisuse, []string{"holds no crawl", output.StateFile, "name the output directory"}},
		{"no rows", []string{damaged, "--rows", "0"}, exitMisuse, []string{"--rows", "1 or more"}},
		{"damaged", []string{damaged}, exitFailed, []string{output.PagesFile}},
		{"cannot be written", []string{taken}, exitFailed, []string{report.HTMLFile}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"report"}, tt.args...)...).wantRefusal(t, tt.code, append(tt.words, "politecrawl: report: ")...)
		})
	}
}
