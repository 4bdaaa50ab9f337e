package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestHerald holds when the first line is said: after a moment, or before the
// first note, and never when the crawl has ended at once.
func TestHerald(t *testing.T) {
	cfg := crawler.Default()
	cfg.URLs = []string{"http://a/1", "http://A:80/2", "https://a/", "http://b/"}
	const first = `crawling 3 hosts into "crawl"; Ctrl-C finishes what is in flight` + "\n"
	for _, tt := range []struct {
		name  string
		quiet bool
		do    func(h *herald)
		want  string
	}{
		{"ends at once", false, func(*herald) { time.Sleep(settling / 2) }, ""},
		{"goes on", false, func(*herald) { time.Sleep(2 * settling) }, first},
		{"speaks at once", false, func(h *herald) { h.note("x"); time.Sleep(2 * settling) }, first + "note: x\n"},
		{"speaks later", false, func(h *herald) { time.Sleep(2 * settling); h.note("x") }, first + "note: x\n"},
		{"quiet", true, func(h *herald) { time.Sleep(2 * settling); h.note("x") }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said lockedBuffer
				h := &herald{program: &program{err: &said}, quiet: tt.quiet}
				done := h.begin(cfg)
				tt.do(h)
				done()
				time.Sleep(time.Minute)
				if got := said.String(); got != tt.want {
					t.Errorf("said %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// TestCrawlSaysThatItBegins holds that the line is there while the site has not
// answered yet.
func TestCrawlSaysThatItBegins(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	cmd := command(t, "crawl", site.url, "--output", dir, "--max-depth", "0")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("crawling 1 host into %q; Ctrl-C finishes what is in flight\n", dir)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(pipe, got); err != nil || string(got) != want {
		t.Errorf("standard error begins with %q (%v), want %q", got, err, want)
	}
	close(site.answer)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestWaitingText holds that no more than five hosts are named.
func TestWaitingText(t *testing.T) {
	dir := t.TempDir()
	sum := &crawler.Summary{End: crawler.EndLater, Output: dir}
	write := func(hosts int) {
		file, err := os.Create(filepath.Join(dir, output.RejectedFile))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		enc := json.NewEncoder(file)
		for i := range 3 * hosts {
			robots := fmt.Sprintf("http://h%d/robots.txt", i%hosts+1)
			reason := output.Later
			if i >= 2*hosts {
				robots, reason = "http://other/robots.txt", output.Disallowed
			}
			if err := enc.Encode(output.Rejection{URL: fmt.Sprint("http://u/", i), Reason: reason, RobotsURL: robots}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for hosts, want := range map[int]string{
		0: "",
		1: "  waiting     for robots.txt of http://h1\n",
		5: "  waiting     for robots.txt of http://h1 http://h2 http://h3 http://h4 http://h5\n",
		7: "  waiting     for robots.txt of http://h1 http://h2 http://h3 http://h4 http://h5 and 2 more\n",
	} {
		write(hosts)
		if got, err := waitingText(sum); err != nil || got != want {
			t.Errorf("%d hosts: %q, %v; want %q", hosts, got, err, want)
		}
	}
	if got, err := waitingText(&crawler.Summary{End: crawler.EndFinished, Output: dir}); err != nil || got != "" {
		t.Errorf("finished: %q, %v", got, err)
	}
	sum.Output = filepath.Join(dir, "absent")
	if _, err := waitingText(sum); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", filepath.Join(sum.Output, output.RejectedFile))) {
		t.Errorf("no file: %v", err)
	}
}

// TestQuoted holds that a name with spaces in it is seen to be one.
func TestQuoted(t *testing.T) {
	err := quoted(&fs.PathError{Op: "mkdir", Path: "my crawl/x", Err: fs.ErrPermission})
	if want := `mkdir "my crawl/x": permission denied`; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "crawl", "http://h/", "--output", file).wantRefusal(t, exitMisuse, fmt.Sprintf("%q", file), "can be written")
}
