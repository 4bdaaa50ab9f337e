package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

func TestHerald(t *testing.T) {
	cfg := crawler.Default()
	cfg.URLs = []string{"http://a/1", "http://A:80/2", "https://a/", "http://b/"}
	for _, tt := range []struct {
		name  string
		quiet bool
		opts  crawler.Options
		want  string
	}{
		{"new", false, crawler.Options{}, `crawling 2 hosts into "crawl"; Ctrl-C finishes what is in flight` + "\nnote: x\n"},
		{"resumed", false, crawler.Options{Resume: true}, `going on with the crawl of 2 hosts into "crawl"; Ctrl-C finishes what is in flight` + "\nnote: x\n"},
		{"again", false, crawler.Options{Recrawl: true}, `crawling 2 hosts again into "crawl"; Ctrl-C finishes what is in flight` + "\nnote: x\n"},
		{"quiet", true, crawler.Options{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var said clitest.Buffer
			h := &herald{Streams: &cli.Streams{Err: &said}, quiet: tt.quiet}
			h.begun(cfg, tt.opts)
			h.note("x")
			if got := said.String(); got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

// TestCrawlSaysThatItBegins holds that the line is there while the site has not
// answered yet.
func TestCrawlSaysThatItBegins(t *testing.T) {
	site := newSlowSite(t)
	dir := filepath.Join(t.TempDir(), "out")
	cmd := clitest.Process(t, "crawl", site.url, "--output", dir, "--max-depth", "0")
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

// TestWaitingWhy holds that each host stands with its own reason, those of one together.
func TestWaitingWhy(t *testing.T) {
	for _, tt := range []struct {
		hosts string
		why   []string
		want  string
	}{
		{"http://a http://b", []string{"status 503", "status 503"}, "  waiting     for robots.txt of http://a, http://b: status 503\n"},
		{"http://a http://b http://c", []string{"status 503", "timed out", "status 503"},
			"  waiting     for robots.txt of http://a, http://c: status 503\n              for robots.txt of http://b: timed out\n"},
		{"h1 h2 h3 h4 h5 h6 h7 h8", []string{"x", "y", "x", "x", "x", "y", "z", "z"},
			"  waiting     for robots.txt of h1, h3, h4, h5: x\n              for robots.txt of h2 and 1 more: y\n              for robots.txt of 2 more hosts for other reasons\n"},
	} {
		if got := waitingText(&crawler.Summary{Waiting: strings.Fields(tt.hosts), WaitingWhy: tt.why}); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", tt.hosts, got, tt.want)
		}
	}
}

// TestWaitingText holds that no more than five hosts are named.
func TestWaitingText(t *testing.T) {
	for hosts, want := range map[int]string{
		0: "",
		1: "  waiting     for robots.txt of http://h1\n",
		5: "  waiting     for robots.txt of http://h1, http://h2, http://h3, http://h4, http://h5\n",
		7: "  waiting     for robots.txt of http://h1, http://h2, http://h3, http://h4, http://h5 and 2 more\n",
	} {
		sum := &crawler.Summary{End: crawler.EndLater}
		for i := range hosts {
			sum.Waiting = append(sum.Waiting, fmt.Sprint("http://h", i+1))
		}
		if got := waitingText(sum); got != want {
			t.Errorf("%d hosts: %q; want %q", hosts, got, want)
		}
	}
}

func TestGoOnText(t *testing.T) {
	for _, tt := range []struct {
		sum  crawler.Summary
		want string
	}{
		{crawler.Summary{End: crawler.EndFinished, Output: "a"}, ""},
		{crawler.Summary{End: crawler.EndInterrupted, Output: "a/b-c", Left: 1}, "to go on: politecrawl crawl --resume a/b-c\n"},
		{crawler.Summary{End: crawler.EndMaxPages, Output: "it's mine", Left: 1}, `to go on: politecrawl crawl --resume 'it'\''s mine' --max-pages N` + "\n"},
		{crawler.Summary{End: crawler.EndMaxBytes, Output: "a", Left: 1}, "to go on: politecrawl crawl --resume a --max-bytes N\n"},
		{crawler.Summary{End: crawler.EndFailed, Output: "a", Left: 1}, "to go on: politecrawl crawl --resume a\n"},
		{crawler.Summary{End: crawler.EndFailed, Output: "a"}, "to go on: politecrawl crawl --resume a\n"},
	} {
		if got := goOnText(&tt.sum); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.sum, got, tt.want)
		}
	}
}

func TestOutputThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "crawl", "http://h/", "--output", file).WantRefusal(t, cli.ExitMisuse, fmt.Sprintf("%q", file), "can be written")
}
