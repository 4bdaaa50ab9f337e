package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSummaryFiles holds that the summary names the files of the formats that a crawl is
// written in too.
func TestSummaryFiles(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	got := run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1", "--write", "csv,sqlite,warc")
	if want := "files       pages.jsonl, rejected.jsonl, *.csv, crawl-*.warc.gz, crawl.sqlite and robots/ in " + dir + "\n"; !strings.Contains(got.out, want) {
		t.Errorf("%+v, want %q", got, want)
	}
}
