package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// filesIn returns the names of the entries of a directory, in order; folders end with a slash.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// section returns the text between two words.
func section(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	text, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("no text from %q to %q", from, to)
	}
	return text
}

// TestDocumentedFilesAreWritten: a crawl with checks writes each file that the documents list,
// and no other. One without them has only the files that SCHEMA.md calls always written.
func TestDocumentedFilesAreWritten(t *testing.T) {
	site, dir := smallSite(t), t.TempDir()
	full, least := filepath.Join(dir, "full"), filepath.Join(dir, "least")
	done(t, "crawl", site.url, "--output", full, "--delay", "0s", "--check", "fragments")
	done(t, "crawl", site.url, "--output", least, "--delay", "0s", "--links=false")
	written := filesIn(t, full)

	schema := readText(t, "../../../crawler/output/SCHEMA.md")
	name := regexp.MustCompile("(?m)(?:^|[\\s`,])([a-z]+(?:\\.jsonl|\\.json|\\.html|/))")
	for document, text := range map[string]string{
		"SCHEMA.md":   section(t, schema, "<!-- files -->", "<!-- end -->"),
		"user guide":  section(t, document(t, guide), "<!-- files -->", "<!-- end -->"),
		"help output": section(t, run(t, "help", "output").Out, "have one for each:\n", "A URL is skipped"),
	} {
		var listed []string
		for _, found := range name.FindAllStringSubmatch(text, -1) {
			if found[1] != "tdmrep.json" {
				listed = append(listed, found[1])
			}
		}
		slices.Sort(listed)
		clitest.WantEqual(t, document, written, slices.Compact(listed))
	}

	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.jsonl)` \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(schema, -1) {
		if got, want := slices.Contains(filesIn(t, least), row[1]), row[2] == "always"; got != want {
			t.Errorf("%s is written %s, and without checks and links: %v", row[1], row[2], got)
		}
	}
	done(t, "report", least)
	done(t, "crawl", "--recrawl", least, "--delay", "0s", "--check", "fragments")
	if names := filesIn(t, least); !slices.Contains(names, "checks.jsonl") || slices.Contains(names, "checks.1.jsonl") {
		t.Errorf("recrawl with checks: %v", names)
	}
}

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
