package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestResume holds that the last line of a crawl that is not finished is the
// command that goes on with it, and that this works.
func TestResume(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "my crawl")
	first := run(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1")
	last := fmt.Sprintf("to go on: politecrawl crawl --resume '%s' --max-pages N\n", dir)
	if first.code != exitDone || !strings.HasSuffix(first.out, last) {
		t.Fatalf("code %d, out %q; want the last line %q", first.code, first.out, last)
	}
	asked := len(site.requested())
	second := run(t, "crawl", "--resume", dir, "--max-pages", "0", "--format", "json")
	if second.code != exitDone || !strings.HasPrefix(second.stderr, "going on with the crawl of 1 host into ") || strings.Contains(second.out, "go_on") {
		t.Errorf("code %d, out %q, standard error %q", second.code, second.out, second.stderr)
	}
	whole := run(t, "crawl", site.url, "--output", filepath.Join(t.TempDir(), "whole"), "--delay", "0s")
	if whole.code != exitDone {
		t.Fatalf("%+v", whole)
	}
	wholeDir := strings.TrimSpace(whole.out[strings.Index(whole.out, " in ")+len(" in "):])
	pages, want := jsonLines[output.Page](t, filepath.Join(dir, output.PagesFile)), jsonLines[output.Page](t, filepath.Join(wholeDir, output.PagesFile))
	if len(pages) != len(want) || asked >= len(site.requested()) {
		t.Errorf("%d pages, a crawl in one go has %d", len(pages), len(want))
	}
	// What was said by flags stays said, and can be changed.
	saved, err := crawler.Saved(dir)
	if err != nil || saved.MaxPages != 0 || saved.Delay != 0 || len(saved.URLs) != 1 {
		t.Errorf("saved %+v, %v", saved, err)
	}
	if again := run(t, "crawl", "--recrawl", dir, "--delay", "1ms"); again.code != exitDone ||
		!strings.Contains(again.stderr, "crawling 1 host again into ") || !strings.Contains(again.out, "unchanged") {
		t.Errorf("%+v", again)
	}
}

func TestResumeMisuse(t *testing.T) {
	site := smallSite(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	if r := run(t, "crawl", site.url, "--output", dir, "--delay", "0s"); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	empty := t.TempDir()
	damaged := filepath.Dir(writeFile(t, output.StateFile, "{"))
	for _, tt := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"no crawl", []string{"--resume", empty}, []string{"--resume", empty, "holds no crawl", "begin one with: politecrawl crawl"}},
		{"no crawl", []string{"--recrawl", empty}, []string{"--recrawl", empty, "holds no crawl"}},
		{"no directory", []string{"--resume", ""}, []string{"--resume names no directory"}},
		{"damaged", []string{"--resume", damaged}, []string{"--resume", output.StateFile}},
		{"both", []string{"--resume", dir, "--recrawl", dir}, []string{"not both"}},
		{"start URLs", []string{"--resume", dir, "http://h/"}, []string{"start URLs", dir}},
		{"seeds", []string{"--resume", dir, "--seeds", "x"}, []string{"start URLs", dir}},
		{"output", []string{"--resume", dir, "--output", "x"}, []string{"give no --output"}},
		{"config", []string{"--recrawl", dir, "--config", "x.yaml"}, []string{"without --config"}},
		{"bad value", []string{"--resume", dir, "--workers", "0"}, []string{"workers"}},
		{"a second crawl", []string{site.url, "--output", dir}, []string{"--output", dir, "--resume " + dir}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run(t, append([]string{"crawl"}, tt.args...)...).wantRefusal(t, exitMisuse, tt.words...)
		})
	}
	if _, err := os.Stat(filepath.Join(empty, "frontier")); err == nil {
		t.Error("a refused resume has left something behind")
	}
}

// TestCrawlHolds holds that a second process is told who is at a directory.
func TestCrawlHolds(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	first, _ := startCrawl(t, site, dir)
	for _, args := range [][]string{{site.url, "--output", dir}, {"--resume", dir}, {"--recrawl", dir}} {
		run(t, append([]string{"crawl"}, args...)...).wantRefusal(t, exitFailed, fmt.Sprintf("process %d", first.Process.Pid), dir)
	}
	run(t, "frontier", "stats", dir).wantRefusal(t, exitFailed, fmt.Sprintf("process %d", first.Process.Pid))
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	close(site.answer)
	if r := run(t, "crawl", "--resume", dir, "--max-depth", "0"); r.code != exitDone || !strings.Contains(r.out, "pages       1 ") {
		t.Errorf("after a kill: %+v", r)
	}
}
