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
	whole := index(append(files, "http://b.example/")...) // the robots.txt of the last one is requested at the end of the index
	for name, test := range map[string]struct {
		answers map[string][]reply
		most    int // bytes
		sent    int
	}{
		"ROB-SMP-20/an index of many":     {map[string][]reply{"/robots.txt": robotsListing(siteA + "/1.xml"), "/1.xml": ok(whole)}, most + len(whole), 5},
		"ROB-SMP-20/a robots.txt of many": {map[string][]reply{"/robots.txt": ok(lines.String())}, most, 4},
	} {
		onWeb(t, name, test.answers, func(t *testing.T, w *web) {
			before, held := uint64(0), int64(0)
			w.others = func(string) reply {
				held = max(held, int64(heap()-before))
				return ok(urlset())[0]
			}
			r := w.robots(robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 3}})
			recordFor(t, r, rootA)
			before = heap()
			gather(r.Sitemaps(t.Context(), rootA))
			if len(w.sent) != test.sent || held == 0 || held > int64(test.most) {
				t.Errorf("%d requests, %d KiB are held", len(w.sent), held>>10)
			}
		})
	}
}
