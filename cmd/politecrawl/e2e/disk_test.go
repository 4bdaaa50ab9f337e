//go:build linux

package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A wordySite has pages 0 to n-1, of which each links to some others. What they say
// cannot be packed.
type wordySite struct {
	url string

	mu    sync.Mutex // guards asked
	asked map[string]int
}

func newWordySite(t *testing.T, n int) *wordySite {
	s := &wordySite{asked: make(map[string]int)}
	server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &i); err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title>", strings.Repeat(rand.Text(), 20))
		for to := i * 5; to < i*5+8; to++ {
			fmt.Fprintf(w, `<a href="/%d">x</a>`, to%n)
		}
	})
	s.url = server.URL
	return s
}

// smallDisk is an empty directory on a disk of so many bytes, which grow makes larger.
func smallDisk(t *testing.T, size int) (dir string, grow func(size int)) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		clitest.Need(t, fmt.Errorf("there is no small disk to be had (as root there is): %w", err))
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir, func(size int) {
		t.Helper()
		clitest.OK(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", size)))
	}
}

// wholeLines holds that each line of each file of lines is one of JSON, and returns those
// of pages.jsonl.
func wholeLines(t *testing.T, dir string) (pages []string) {
	t.Helper()
	names := clitest.Must(filepath.Glob(filepath.Join(dir, "*.jsonl")))(t)
	for _, name := range names {
		text := clitest.Must(os.ReadFile(name))(t)
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			t.Errorf("%s ends in the middle of a line: %.100q", name, text[max(0, len(text)-100):])
		}
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				t.Errorf("%s: a line is no JSON: %.100q", name, line)
			}
			if filepath.Base(name) == "pages.jsonl" {
				pages = append(pages, string(line))
			}
		}
	}
	return pages
}

// runChild runs politecrawl as a process, by way of a shell with a limit where there is
// one: ulimit -n 100. It inherits files.
func runChild(t *testing.T, limit string, files []*os.File, args ...string) clitest.Result {
	t.Helper()
	cmd := program.Process(t, args...)
	if limit != "" {
		cmd.Args = append([]string{"sh", "-c", limit + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
	cmd.ExtraFiles = files
	return outcome(t, cmd)
}

// wantShort holds that a crawl ended as one that has run out of something: with an error,
// what to do about it, and the command that goes on.
func wantShort(t *testing.T, r clitest.Result, dir string, words ...string) {
	t.Helper()
	if r.Code != cli.ExitFailed || strings.Contains(r.Stderr, "goroutine ") {
		t.Fatalf("%+v", r)
	}
	last := r.Stderr[strings.LastIndex(strings.TrimSuffix(r.Stderr, "\n"), "\n")+1:]
	for _, word := range append(words, "and resume with: politecrawl crawl --resume "+dir) {
		if !strings.HasPrefix(last, "politecrawl: ") || !strings.Contains(last, word) {
			t.Errorf("standard error ends with %q, which lacks %q", last, word)
		}
	}
}

// wantAll holds that all pages are there, each once, and those from before as they were.
func (s *wordySite) wantAll(t *testing.T, n int, before, pages []string) {
	t.Helper()
	count := make(map[string]int)
	for _, line := range pages {
		p := clitest.JSON[output.Page](t, line)
		count[strings.TrimPrefix(p.URL, s.url)]++
	}
	for i := range n {
		if path := fmt.Sprintf("/%d", i); count[path] != 1 {
			t.Errorf("%s stands there %d times", path, count[path])
		}
	}
	if len(count) != n {
		t.Errorf("%d pages, want %d", len(count), n)
	}
	for _, line := range before {
		if !slices.Contains(pages, line) {
			t.Errorf("what was done is lost: %.200s", line)
		}
	}
}

// counted are the pages that a crawl says that it has.
func counted(t *testing.T, r clitest.Result) int {
	t.Helper()
	m := regexp.MustCompile(`\n  pages       (\d+)`).FindStringSubmatch(r.Out)
	if m == nil {
		t.Fatalf("no summary: %+v", r)
	}
	n := clitest.Must(strconv.Atoi(m[1]))(t)
	return n
}

// TestDiskFull crawls onto a disk that is too small, again and again a little larger: each
// time the crawl says so and ends, every line is whole, what was told as done stays, and
// when there is room for all of it nothing is missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const pages = 150
	for _, tt := range []struct{ formats, durability string }{{"", "process"}, {"", "power"}, {"csv", "process"}, {"sqlite", "process"}, {"warc", "power"}} {
		t.Run(tt.formats+" "+tt.durability, func(t *testing.T) {
			if testing.Short() && (tt.formats == "sqlite" || tt.formats+tt.durability == "power") {
				t.Skip("it is resumed many times, with a larger disk each time; the other formats stay")
			}
			t.Parallel()
			site := newWordySite(t, pages)
			size := 400 << 10
			disk, grow := smallDisk(t, size)
			dir := filepath.Join(disk, "crawl")
			args := []string{"crawl", site.url + "/0", "--output", dir, "--delay", "0s", "--also-write", tt.formats, "--durability", tt.durability}
			var done []string
			for fell := 0; ; fell++ {
				got := runChild(t, "", nil, args...)
				if got.Code == cli.ExitDone {
					if fell == 0 {
						t.Error("the disk was never full")
					}
					break
				}
				lines := wholeLines(t, dir)
				if strings.Contains(got.Out, "\n  pages") { // else it was not begun
					if told := "cannot write the report"; !strings.Contains(got.Stderr, told) {
						wantShort(t, got, dir, "free space on that disk")
					}
					told := counted(t, got)
					if told < len(done) || told > len(lines) {
						t.Fatalf("%d pages are told of, after %d; %d lines", told, len(done), len(lines))
					}
					done = lines[:told]
				}
				if clitest.Exists(filepath.Join(dir, "crawl.json")) {
					args = []string{"crawl", "--resume", dir}
				}
				size += 120 << 10
				grow(size)
				if size > 10<<20 {
					t.Fatalf("it does not come to an end: %+v", got)
				}
			}
			site.wantAll(t, pages, done, wholeLines(t, dir))
		})
	}
}

// TestFileSize is TestDiskFull for a file that may become no larger.
func TestFileSize(t *testing.T) {
	t.Parallel()
	const pages = 150
	for _, tt := range []struct{ name, formats, limit, says string }{ // of 512 or 1024 bytes
		{"lines", "", "ulimit -f 40", "file too large"},
		{"sqlite", "sqlite", "ulimit -f 300", "disk cannot be written or read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			site, dir := newWordySite(t, pages), filepath.Join(t.TempDir(), "crawl")
			got := runChild(t, tt.limit, nil, "crawl", site.url+"/0", "--output", dir, "--delay", "0s", "--also-write", tt.formats)
			wantShort(t, got, dir, tt.says, "allow larger files (ulimit -f)")
			done := wholeLines(t, dir)[:counted(t, got)]
			if got := runChild(t, "", nil, "crawl", "--resume", dir); got.Code != cli.ExitDone || len(done) == 0 {
				t.Fatalf("after %d pages: %+v", len(done), got)
			}
			site.wantAll(t, pages, done, wholeLines(t, dir))
		})
	}
}
