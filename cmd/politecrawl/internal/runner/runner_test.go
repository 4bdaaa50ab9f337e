package runner

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

func TestRunnerNotices(t *testing.T) {
	cfg := crawler.Default()
	cfg.URLs = []string{"http://a/1", "http://A:80/2", "https://a/", "http://b/"}
	for _, tt := range []struct {
		name  string
		quiet bool
		opts  crawler.Options
		want  string
	}{
		{"new", false, crawler.Options{}, `crawling 2 hosts into "crawl"; Ctrl-C finishes the requests in flight and stops` + "\nnote: x\n"},
		{"resumed", false, crawler.Options{Resume: true}, `resuming the crawl of 2 hosts into "crawl"; Ctrl-C finishes the requests in flight and stops` + "\nnote: x\n"},
		{"again", false, crawler.Options{Recrawl: true}, `recrawling 2 hosts into "crawl"; Ctrl-C finishes the requests in flight and stops` + "\nnote: x\n"},
		{"quiet", true, crawler.Options{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var said clitest.Buffer
			h := &Runner{Streams: &cli.Streams{Err: &said}, Quiet: tt.quiet}
			h.started(cfg, tt.opts)
			h.Note("x")
			if got := said.String(); got != tt.want {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSiteTitle(t *testing.T) {
	for want, urls := range map[string][]string{
		"":                            nil,
		"example.com":                 {"https://example.com/a", "https://example.com/b"},
		"example.com:8080":            {"http://example.com:8080/"},
		"a.example and another host":  {"http://a.example/", "http://b.example/"},
		"a.example and 2 other hosts": {"http://a.example/", "http://b.example/", "http://c.example/", "http://b.example/x"},
	} {
		if got := siteTitle(urls); got != want {
			t.Errorf("%v: %q, want %q", urls, got, want)
		}
	}
}

// A crawl that has run out of something before it began has failed, and was asked for
// rightly; a directory that cannot be written was not.
func TestNotStartedSaysRemedy(t *testing.T) {
	for _, tt := range []struct {
		err    error
		code   int
		remedy string
	}{
		{syscall.ENOSPC, cli.ExitFailed, "free space on that disk"},
		{syscall.EMFILE, cli.ExitFailed, "ulimit -n"},
		{syscall.EACCES, cli.ExitMisuse, "that you can write to"},
		{syscall.EROFS, cli.ExitMisuse, "that you can write to"},
	} {
		err := new(Runner).notStarted(t.TempDir(), crawler.Options{}, &os.PathError{Op: "write", Path: "log", Err: tt.err})
		e, ok := errors.AsType[*cli.ExitError](err)
		if !ok || e.Code != tt.code || !strings.Contains(err.Error(), tt.remedy) {
			t.Errorf("%v: %v, want exit code %d and %q", tt.err, err, tt.code, tt.remedy)
		}
	}
}

func TestExhaustionOfACommandThatCannotResume(t *testing.T) {
	dir := t.TempDir()
	clitest.OK(t, os.WriteFile(filepath.Join(dir, "crawl.json"), nil, 0o600))
	for noResume, want := range map[bool]string{false: "crawl --resume " + dir, true: "run the command again with another --output"} {
		if err := (&Runner{NoResume: noResume}).endedBy(dir, syscall.ENOSPC); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestEndedBy holds that what ends a crawl is told with what to do about it, where that is
// known.
func TestEndedBy(t *testing.T) {
	for want, err := range map[string]error{
		"check that the server runs and that --frontier is its address": redisstore.ErrUnavailable,
		"disk on fire": errors.New("disk on fire"),
	} {
		got := new(Runner).endedBy(t.TempDir(), fmt.Errorf("crawl: %w", err))
		if cli.ExitCode(got) != cli.ExitFailed || !strings.Contains(got.Error(), want) {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// The exhausted resource is known from the type of the error or, for a DNS lookup, from its
// text.
func TestExhausted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "crawl.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(err error) error {
		return &net.DNSError{Err: "dial udp 127.0.0.1:53: socket: " + err.Error(), Name: "a.test"}
	}
	for _, tt := range []struct {
		err    error
		remedy string // empty if no resource is exhausted
	}{
		{lookup(syscall.EMFILE), "ulimit -n"},
		{fmt.Errorf("crawler: dial tcp: %w", lookup(syscall.ENFILE)), "on this machine"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}, "ulimit -n"},
		{fmt.Errorf("output: %w", &os.PathError{Op: "write", Path: "pages.jsonl", Err: syscall.ENOSPC}), "free space"},
		{fmt.Errorf("%w: insert", sqlite.ErrFull), "free space"},
		{lookup(syscall.ECONNREFUSED), ""},
		{errors.New(syscall.EMFILE.Error() + " on the other side"), ""},
	} {
		got := (&Runner{}).exhausted(dir, tt.err)
		if tt.remedy == "" && got != nil || tt.remedy != "" && (got == nil || !strings.Contains(got.Error(), tt.remedy) || !strings.Contains(got.Error(), "--resume "+dir)) {
			t.Errorf("%v: %v, want %q", tt.err, got, tt.remedy)
		}
	}
}
