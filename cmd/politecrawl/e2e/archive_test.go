package e2e

import (
	"archive/zip"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestArchive packages a crawl with its recrawl, and checks all files.
func TestArchive(t *testing.T) {
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
