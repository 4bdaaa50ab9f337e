package e2e

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestArchive: --archive adds to --also-write and --check, requests what pages need by GET, and is kept in a resumed
// crawl and a recrawl. The report lists what is disallowed.
func TestArchive(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	files := map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\n", "/": `<!doctype html><img src=/1.png><img src=/no.png><a href=/two>2</a><a href="/two#gone">x</a>`, "/two": `<!doctype html><img src=/1.png><img src=/2.png>`,
	}
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r.Method+" "+r.URL.Path)
		_, _ = fmt.Fprint(w, files[r.URL.Path])
	})
	wantRequests := func(want ...string) {
		t.Helper()
		slices.Sort(requests)
		clitest.WantEqual(t, "requests", want, slices.DeleteFunc(requests, func(line string) bool { return strings.HasSuffix(line, "/robots.txt") }))
		requests = nil
	}
	dir := filepath.Join(t.TempDir(), "out")
	done(t, "crawl", site.URL, "--output", dir, "--delay", "0s", "--quiet", "--max-pages", "1", "--concurrency", "1", "--archive", "--also-write", "csv", "--check", "fragments")
	done(t, "crawl", "--resume", dir, "--quiet", "--max-pages", "0")
	wantRequests("GET /", "GET /1.png", "GET /2.png", "GET /two")
	for _, name := range []string{"pages.csv", "anchors.jsonl", "crawl-*.warc.gz"} {
		if found, err := filepath.Glob(filepath.Join(dir, name)); err != nil || len(found) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	made := clitest.JSON[report.Report](t, readText(t, filepath.Join(dir, report.JSONFile)))
	i := slices.IndexFunc(made.Findings, func(f report.Findings) bool { return f.ID == "unverified" })
	if i < 0 || made.Findings[i].Total != 1 || made.Findings[i].Rows[0].URL != site.URL+"/no.png" {
		t.Errorf("findings %+v", made.Findings)
	}
	for line := range strings.Lines(readText(t, filepath.Join(dir, "checks.jsonl"))) {
		c := clitest.JSON[output.Check](t, line)
		if disallowed := c.URL == site.URL+"/no.png"; disallowed != (c.Detail == "Disallow: /no, line 2 of "+site.URL+"/robots.txt") {
			t.Errorf("%+v", c)
		}
	}
	done(t, "crawl", "--recrawl", dir, "--quiet")
	wantRequests("GET /", "GET /1.png", "GET /2.png", "GET /two")
}

// TestWACZListsPages packages a crawl with its recrawl, and checks all files.
func TestWACZListsPages(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		switch r.URL.Path {
		case "/":
			_, _ = io.WriteString(w, `<title>Start</title><p>Hello</p><a href="/same">a</a><a href="/same?q={a|b}">b</a><a href="/secret">c</a><a href="/gone">d</a>`)
		case "/secret":
			_, _ = io.WriteString(w, `<meta name=robots content=noindex><title>Secret</title>`)
		case "/same":
			_, _ = io.WriteString(w, `<title>Same</title>`+strings.Repeat("x", 100))
		default:
			http.NotFound(w, r)
		}
	})
	dir := filepath.Join(t.TempDir(), "crawl")
	done(t, "crawl", site.URL+"/", "--output", dir, "--delay", "0s", "--also-write", "warc", "--quiet")
	done(t, "crawl", "--recrawl", dir, "--quiet")
	done(t, "archive", "wacz", dir, "--text")
	files := clitest.Must(filepath.Glob(filepath.Join(dir, "*.warc.gz")))(t)
	if len(files) != 2 {
		t.Errorf("%q", files)
	}
	if got := run(t, append([]string{"archive", "check", dir + ".wacz"}, files...)...); got.Code != 0 || got.Out != "" || !strings.HasSuffix(got.Stderr, " in 3 files, 0 problems\n") {
		t.Errorf("%+v", got)
	}
	z := clitest.Must(zip.OpenReader(dir + ".wacz"))(t)
	defer func() { _ = z.Close() }()
	pages := string(clitest.Must(io.ReadAll(clitest.Must(z.Open("pages/pages.jsonl"))(t)))(t))
	if strings.Count(pages, "\n") != 4 || strings.Count(pages, `"title":"Same"`) != 2 || !strings.Contains(pages, `"text":"Start\nHello\na\nb\nc\nd"`) {
		t.Error(pages)
	}
}
