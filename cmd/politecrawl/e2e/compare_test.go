package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

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
