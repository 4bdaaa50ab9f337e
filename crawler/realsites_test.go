package crawler

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestRealSites serves the documentation of Debian packages, crawls it, and compares the
// requests that the server saw, the files of the crawl and its report with a walk over the
// files. sqlite3-doc 3.40.1 has 426 broken links: distinct URLs with status 404.
func TestRealSites(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls the documentation of four Debian packages")
	}
	tests := []struct {
		pkg, address string
		root, index  string // the folder that is served, and a page in it
	}{
		{"sqlite3-doc", "127.0.9.1", "/usr/share/doc/sqlite3", "index.html"},
		{"python3-doc", "127.0.9.2", "/usr/share/doc/python3/html", "index.html"},
		{"debian-policy", "127.0.9.3", "/usr/share/doc/debian-policy", "policy.html/index.html"},
		{"git-doc", "127.0.9.4", "/usr/share/doc/git-doc", "index.html"},
	}
	for _, tt := range tests {
		t.Run(tt.pkg, func(t *testing.T) {
			t.Parallel()
			needFile(t, filepath.Join(tt.root, tt.index), tt.pkg)
			s := newSite(t, tt.address, nil)
			s.mux.Handle("/", http.FileServer(http.Dir(tt.root)))
			want, err := walkFolder(tt.root, s.url+"/", "politecrawl")
			if err != nil {
				t.Fatal(err)
			}
			if len(want.Pages) < 50 {
				t.Errorf("the walk found %d pages: too few to mean anything", len(want.Pages))
			}
			cfg := testConfig(t, s.url+"/")
			got := recordOf(t, s, cfg, run(t, cfg, nil))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the crawl differs from the files (-walk +crawl):\n%s", diff)
			}
			t.Logf("%d pages, %d links, %d skipped URLs, %d broken links", len(want.Pages), len(want.Links), len(want.Skipped), len(want.Broken))
		})
	}
}

// recordOf reads what a crawl found on a site.
func recordOf(t *testing.T, s *site, cfg Config, c *crawl) *siteRecord {
	t.Helper()
	r := &siteRecord{Requests: s.asked()}
	for _, p := range c.pages {
		r.Pages = append(r.Pages, fmt.Sprintf("%d %s", p.Status, p.URL))
	}
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		for _, to := range l.To {
			r.Links = append(r.Links, l.URL+" "+to)
		}
	}
	for _, j := range c.rejected {
		if j.Reason != output.Invalid { // which has the text of the link, not a URL
			r.Skipped = append(r.Skipped, j.URL)
		}
	}
	made, err := report.Make([]string{cfg.Output.Dir}, &report.Options{Rows: len(c.pages)})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range made.Broken.Rows {
		r.Broken = append(r.Broken, fmt.Sprintf("%s %d %d %s", b.URL, b.Status, b.Links, b.From))
	}
	r.sort()
	return r
}

// needFile skips a test where a file of a Debian package is missing. In continuous
// integration the test fails instead.
func needFile(t *testing.T, name, pkg string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		missing := fmt.Sprintf("%v; it is a file of the Debian package %s: run \"make docs\"", err, pkg)
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
}
