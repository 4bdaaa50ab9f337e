package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/demo"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestDemo runs the demo as a newcomer does, and holds what it says against the
// files it wrote.
func TestDemo(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	cmd := program.Process(t, "demo", "--format", "json")
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary, "TMP="+temporary)
	began := time.Now()
	got := outcome(t, cmd)
	if got.Code != cli.ExitDone {
		t.Errorf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	r := clitest.JSON[demo.Result](t, got.Out)
	dir := r.Summary.Output
	if filepath.Dir(dir) != temporary {
		t.Errorf("it wrote %s, which is no temporary directory", dir)
	}
	if len(r.Violations) > 0 || len(r.Missing) > 0 || len(r.Unexpected) > 0 || !r.Agrees {
		t.Errorf("violations %q, missing %q, unexpected %q, agrees: %v", r.Violations, r.Missing, r.Unexpected, r.Agrees)
	}
	if len(r.Advice) > 0 {
		t.Errorf("advice: %q", r.Advice)
	}
	if d := time.Duration(r.Summary.Duration); r.DelayMS != 20 || d <= 0 || d > time.Since(began) {
		t.Errorf("delay %d ms, %v in %s", r.DelayMS, d, got.Out)
	}
	if pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")); len(pages) != r.Summary.Pages || len(pages) < 150 {
		t.Errorf("%d pages written, %d in the summary, want some two hundred", len(pages), r.Summary.Pages)
	}
	sitemaps := filepath.Join(temporary, "sitemaps")
	done(t, "sitemap", "write", dir, "--output", sitemaps)
	listed := 0
	err := filepath.WalkDir(sitemaps, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			listed += len(writtenSitemap(t, "", path))
		}
		return err
	})
	if err != nil || listed < 150 {
		t.Errorf("%d URLs in sitemaps, %v", listed, err)
	}
	for _, name := range []string{r.Summary.Report, filepath.Join(dir, report.JSONFile)} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 || filepath.Dir(name) != dir {
			t.Errorf("the report %q is not there: %v", name, err)
		}
	}
	rejected := 0
	for _, n := range r.Summary.Rejected {
		rejected += n
	}
	if lines := jsonLines[output.Rejection](t, filepath.Join(dir, "rejected.jsonl")); len(lines) != rejected || r.Summary.Rejected[output.Disallowed] == 0 {
		t.Errorf("%d rejections written, summary %v", len(lines), r.Summary.Rejected)
	}
	if r.Pages-r.Retries != r.Summary.Pages || r.Robots != r.Summary.Robots || r.Sitemaps-r.SitemapsMissing != r.Summary.Sitemaps ||
		r.Pages+r.Robots+r.Moved+r.Sitemaps != r.Requests || r.Retries == 0 || r.SitemapsMissing == 0 || r.Moved == 0 {
		t.Errorf("the numbers do not add up: the site saw %+v, the crawler says %+v", r, r.Summary.Summary)
	}
	wantInReadme(t, r.Text(func(_ cli.Color, text string) string { return text }))
	// What is said meanwhile is no failure.
	said := strings.Split(strings.TrimSuffix(got.Stderr, "\n"), "\n")
	for i, line := range said {
		begins := "note: "
		switch i {
		case 0:
			begins = fmt.Sprintf("crawling 7 hosts into %q; Ctrl-C finishes the requests in flight and stops", dir)
		case len(said) - 1:
			begins = fmt.Sprintf("the files are in the temporary directory %q; remove it", dir)
		}
		if !strings.HasPrefix(line, begins) {
			t.Errorf("line %d of standard error: %q, want %q", i+1, line, begins)
		}
	}
	if !strings.Contains(got.Stderr, "/sitemaps/lost.xml.gz") {
		t.Errorf("standard error does not mention the sitemap that is lost: %q", got.Stderr)
	}
}
