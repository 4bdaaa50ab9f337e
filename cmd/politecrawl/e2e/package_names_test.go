package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestNoPackageNames: of nothing that goes wrong is a person told with the names of packages
// before it, in whatever the program writes.
func TestNoPackageNames(t *testing.T) {
	busy := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	site := newTestSite(t, map[string]string{
		"/robots.txt": "Sitemap: {site}/bad.xml\nSitemap: {site}/coded.xml\n", "/bad.xml": "<urlset><url><loc>{site}/\x00</loc>", "/": `<a href="http://[">no URL</a> <a href="/coded">x</a>`,
	})
	coded := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/robots.txt" {
			w.Header().Set("Content-Encoding", "compress")
		}
		_, _ = w.Write([]byte("Sitemap: http://" + r.Host + "/s.xml\n"))
	})
	damaged := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write([]byte("no gzip, though it says so"))
	})
	odd := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = w.Write([]byte("User-agent: *\n"))
	})
	dir := filepath.Join(t.TempDir(), "crawl")
	got := run(t, "crawl", busy.URL+"/", site.url+"/", coded.URL+"/", odd.URL+"/", damaged.URL+"/", "http://10.1.2.3/", "--output", dir, "--delay", "0s", "--max-wait", "0s", "--retries", "0",
		"--log", "text", "--log-level", "debug", "--also-write", "csv")
	if got.Code != cli.ExitLater {
		t.Errorf("exit code %d", got.Code)
	}
	said := map[string]string{"standard output": got.Out, "standard error": got.Stderr}
	for _, pattern := range []string{"*.jsonl", "*.csv", "report.*"} {
		names := clitest.Must(filepath.Glob(filepath.Join(dir, pattern)))(t)
		for _, name := range names {
			text := clitest.Must(os.ReadFile(name))(t)
			said[filepath.Base(name)] = string(text)
		}
	}
	for what, text := range said {
		for line := range strings.Lines(text) {
			if found := packageName.FindString(line); found != "" {
				t.Errorf("%s has %q in %s", what, found, line)
			}
		}
	}
	for what, want := range map[string]string{"rejected.jsonl": `"detail":"content coding \"compress\"`, "robots.jsonl": `"error":"status 503"`, "standard error": `error="status 503"`, "sitemaps.jsonl": `"detail":"`} {
		if !strings.Contains(said[what], want) {
			t.Errorf("%s lacks %s:\n%s", what, want, said[what])
		}
	}
}

var packageName = regexp.MustCompile(`(^|[": ])(crawler|robotsext|robotstxt|sitemap|guard|output|frontier|extract): .{0,60}`)
