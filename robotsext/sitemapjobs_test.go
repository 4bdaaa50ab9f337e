package robotsext_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// TestSitemapJobsInMemory: of the files that indexes list no more are kept in mind than
// may be read.
func TestSitemapJobsInMemory(t *testing.T) {
	const most = 3 << 20
	t.Run("ROB-SMP-20/an index of many", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			whole := func() string {
				var files []string
				for i := range 40_000 {
					files = append(files, fmt.Sprintf("%s/%s/%d.xml", siteA, strings.Repeat("x", 100), i))
				}
				return index(append(files, "http://b.example/")...) // the last one is not its to list
			}()
			before, peak := uint64(0), int64(-1)
			r := newRobots(t, &robotsext.Options{
				Sitemaps: robotsext.SitemapOptions{
					MaxFiles: 2,
					OnFinding: func(_ string, f sitemap.Finding) {
						if f.Kind == sitemap.NotAuthorized {
							peak = int64(heap()) - int64(before)
						}
					},
				},
				Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					switch req.URL.Path {
					case "/robots.txt":
						if req.URL.Host == "b.example" {
							break
						}
						return robotsListing(siteA + "/1.xml")[0].RoundTrip(req)
					case "/1.xml":
						before = heap()
						return ok(whole)[0].RoundTrip(req)
					}
					return ok(urlset())[0].RoundTrip(req)
				}),
			})
			gather(r.Sitemaps(t.Context(), rootA))
			if peak < 0 || peak > most+int64(len(whole)) { // which is received meanwhile
				t.Errorf("%d KiB are held at the end of the index", peak>>10)
			}
			runtime.KeepAlive(whole)
		})
	})
	t.Run("ROB-SMP-20/a robots.txt of many", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var lines strings.Builder
			for i := range 18_000 {
				fmt.Fprintf(&lines, "Sitemap:%s/%d\n", siteA, i)
			}
			asked, before, peak := 0, uint64(0), int64(0)
			r := newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 10}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Path == "/robots.txt" {
					return ok(lines.String())[0].RoundTrip(req)
				}
				asked++
				peak = max(peak, int64(heap())-int64(before))
				return ok(urlset())[0].RoundTrip(req)
			})})
			recordFor(t, r, rootA)
			before = heap()
			gather(r.Sitemaps(t.Context(), rootA))
			if asked != 10 || peak > most {
				t.Errorf("%d requests, %d KiB are held", asked, peak>>10)
			}
		})
	})
}
