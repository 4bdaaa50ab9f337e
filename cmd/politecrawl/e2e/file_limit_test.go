//go:build linux

package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// manyHosts serves the same pages on many addresses of this machine, and returns the URLs
// of the first pages. Each links to the next host.
func manyHosts(t *testing.T, n int) (urls []string) {
	t.Helper()
	var port int
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			return
		}
		var i int
		if _, err := fmt.Sscanf(r.Host, "127.0.0.%d", &i); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a href="http://127.0.0.%d:%d/">next</a><a href="/1">1</a><a href="/2">2</a>`, max(2, (i+1)%(n+2)), port)
	})}
	t.Cleanup(func() { _ = server.Close() })
	for i := range n {
		listener := clitest.Must(net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%d", i+2, port)))(t)
		port = listener.Addr().(*net.TCPAddr).Port
		urls = append(urls, fmt.Sprintf("http://%s/", listener.Addr()))
		go func() { _ = server.Serve(listener) }()
	}
	return urls
}

// wantHosts holds that all pages of all hosts are there, and that no URL was given up.
func wantHosts(t *testing.T, dir string, urls []string) {
	t.Helper()
	var got []string
	for _, p := range jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")) {
		got = append(got, p.URL)
	}
	for _, url := range urls {
		for _, page := range []string{"", "1", "2"} {
			if !slices.Contains(got, url+page) {
				t.Errorf("%s is missing", url+page)
			}
		}
	}
	if len(got) != 3*len(urls) {
		t.Errorf("%d pages, want %d", len(got), 3*len(urls))
	}
	for _, r := range jsonLines[output.Rejection](t, filepath.Join(dir, "rejected.jsonl")) {
		t.Errorf("given up: %+v", r)
	}
}

// TestFileLimit holds that a crawl says before it begins when it may have too few files
// and connections open, that it makes do with just enough, and that it fails, and loses
// nothing, when there are none left for a reason that it cannot know.
func TestFileLimit(t *testing.T) {
	t.Parallel()
	urls := manyHosts(t, 30)
	crawl := func(dir string) []string {
		return append([]string{"crawl", "--output", dir, "--delay", "0s", "--concurrency", "16"}, urls...)
	}
	t.Run("too few", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "crawl")
		runChild(t, "ulimit -n 100", nil, crawl(dir)...).WantRefusal(t, cli.ExitFailed, "may open at most 100 files and connections", "needs 160 for a concurrency of 16", "ulimit -n 160")
		runChild(t, "ulimit -n 140", nil, crawl(dir)...).WantRefusal(t, cli.ExitFailed, "ulimit -n 160", "use a concurrency of at most 6")
		if clitest.Exists(dir) {
			t.Error("something was written")
		}
	})
	t.Run("just enough", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "crawl")
		if got := runChild(t, "ulimit -n 160", nil, crawl(dir)...); got.Code != cli.ExitDone {
			t.Fatalf("%+v", got)
		}
		wantHosts(t, dir, urls)
	})
	t.Run("taken by others", func(t *testing.T) {
		dir, short := filepath.Join(t.TempDir(), "crawl"), 0
		for taken := 100; taken < 152; taken += 10 {
			var files []*os.File
			for range taken {
				file := clitest.Must(os.Open(os.DevNull))(t)
				files = append(files, file)
			}
			args := crawl(dir)
			if clitest.Exists(filepath.Join(dir, "crawl.json")) {
				args = []string{"crawl", "--resume", dir}
			}
			got := runChild(t, "ulimit -n 160", files, args...)
			for _, file := range files {
				_ = file.Close()
			}
			switch {
			case got.Code == cli.ExitDone:
				_ = os.RemoveAll(dir)
			case strings.Contains(got.Out, "\n  pages"):
				short++
				wantShort(t, got, dir, "too many open files", "ulimit -n", "smaller --concurrency")
			case !strings.Contains(got.Stderr, "too many open files"): // it was not begun
				t.Errorf("%d taken: %+v", taken, got)
			}
			if strings.Contains(got.Out, "later") || strings.Contains(got.Out, "waiting") {
				t.Errorf("%d taken: the sites are blamed: %s", taken, got.Out)
			}
		}
		if short == 0 {
			t.Error("no crawl ran out of files")
		}
		if got := runChild(t, "", nil, "crawl", "--resume", dir); got.Code != cli.ExitDone {
			t.Fatalf("%+v", got)
		}
		wantHosts(t, dir, urls)
	})
}

// TestReadOnly holds what is said of a directory that cannot be written.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	site := smallSite(t)
	disk, _ := smallDisk(t, 4<<20)
	dir := filepath.Join(disk, "crawl")
	if got := runChild(t, "", nil, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1"); got.Code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	before := wholeLines(t, dir)
	mount := func(flags uintptr) {
		t.Helper()
		clitest.OK(t, syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, ""))
	}
	mount(syscall.MS_RDONLY)
	runChild(t, "", nil, "crawl", site.url, "--output", filepath.Join(disk, "new")).WantRefusal(t, cli.ExitMisuse, "--output", "read-only file system", "choose a directory that you can write to")
	for _, flag := range []string{"--resume", "--recrawl"} {
		wantShort(t, runChild(t, "", nil, "crawl", flag, dir, "--max-pages", "0"), dir, "read-only file system", "mount that file system")
	}
	got := runChild(t, "", nil, "report", dir)
	got.WantRefusal(t, cli.ExitMisuse, `write "`+dir+"/report.", "read-only file system", "the files of the crawl are unchanged", "politecrawl report "+dir+" --output DIR")
	if elsewhere := t.TempDir(); runChild(t, "", nil, "report", dir, "--output", elsewhere).Code != cli.ExitDone {
		t.Error("the report cannot be written elsewhere either")
	}
	if got := runChild(t, "", nil, "frontier", "stats", dir); got.Code != cli.ExitDone {
		t.Errorf("%+v", got)
	}
	mount(0)
	if got := runChild(t, "", nil, "crawl", "--resume", dir, "--max-pages", "0"); got.Code != cli.ExitDone {
		t.Fatalf("%+v", got)
	}
	if after := wholeLines(t, dir); len(after) <= len(before) || after[0] != before[0] {
		t.Errorf("pages %q, before %q", after, before)
	}
}
