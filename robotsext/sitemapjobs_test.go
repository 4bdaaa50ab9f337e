package robotsext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

// TestSitemapJobsInMemory: of the files that indexes list no more are kept in mind than
// may be read.
func TestSitemapJobsInMemory(t *testing.T) {
	const most = 3 << 20
	var files []string
	for i := range 10_000 {
		files = append(files, fmt.Sprintf("%s/%s/%d.xml", siteA, strings.Repeat("x", 100), i))
	}
	var lines strings.Builder
	for i := range 18_000 {
		fmt.Fprintf(&lines, "Sitemap:%s/%d\n", siteA, i)
	}
	for name, answers := range map[string]map[string][]reply{
		"ROB-SMP-20/an index of many":     {"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(index(files...))},
		"ROB-SMP-20/a robots.txt of many": {"/robots.txt": ok(lines.String())},
	} {
		onWeb(t, name, answers, func(t *testing.T, w *web) {
			before, held := uint64(0), int64(0)
			w.others = func(string) reply {
				held = int64(heap() - before)
				return ok(urlset())[0]
			}
			r := w.robots(robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 3}})
			recordFor(t, r, rootA)
			before = heap()
			gather(r.Sitemaps(t.Context(), rootA))
			if len(w.sent) != 4 || held == 0 || held > most {
				t.Errorf("%d requests, %d KiB are held", len(w.sent), held>>10)
			}
		})
	}
}
