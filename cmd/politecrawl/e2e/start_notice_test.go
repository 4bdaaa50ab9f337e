package e2e

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestCrawlPrintsStartNotice holds that the line is there while the site has not
// answered yet.
func TestCrawlPrintsStartNotice(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	cmd := clitest.Process(t, "crawl", site.url, "--output", dir, "--max-depth", "0")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("crawling 1 host into %q; Ctrl-C finishes the requests in flight and stops\n", dir)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(pipe, got); err != nil || string(got) != want {
		t.Errorf("standard error begins with %q (%v), want %q", got, err, want)
	}
	close(site.answer)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
