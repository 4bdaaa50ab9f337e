package e2e

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A resumed crawl writes the formats that it started with, and pages.csv has the pages of
// pages.jsonl.
func TestResumedCrawlWritesAllFormats(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1", "--also-write", "csv,sqlite", "--also-write", "warc")
	done(t, "crawl", "--resume", dir, "--max-pages", "0")
	table, err := os.Open(filepath.Join(dir, "pages.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl"))
	if len(pages) < 2 || len(rows) != len(pages)+1 {
		t.Fatalf("%d pages, %d rows", len(pages), len(rows))
	}
	for i, p := range pages {
		if rows[i+1][0] != p.URL {
			t.Errorf("row %d is of %s, line %d of %s", i+1, rows[i+1][0], i, p.URL)
		}
	}
	for _, name := range []string{"crawl.sqlite", "crawl-00000.warc.gz"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAlsoWriteUnknownFormat(t *testing.T) {
	got := run(t, "crawl", "http://h.invalid/", "--output", filepath.Join(t.TempDir(), "out"), "--also-write", "excel")
	if got.Code != cli.ExitMisuse || !strings.Contains(got.Stderr, `unknown format "excel"; use one of csv, `) {
		t.Errorf("%+v", got)
	}
}
