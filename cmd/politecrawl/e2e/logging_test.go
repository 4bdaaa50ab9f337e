package e2e

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

// TestLogHoldsNoSecret looks for the password of a proxy that cannot be used in the log.
// TestHostileSite does so for what sites and other proxies send.
func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	proxy := clitest.Server(t, func(http.ResponseWriter, *http.Request) {})
	down := clitest.Server(t, func(http.ResponseWriter, *http.Request) {})
	down.Close()
	for name, tt := range map[string]struct{ format, proxy string }{
		"down": {"text", strings.Replace(down.URL, "http://", "http://aladdin:hunter2@", 1)}, "no SOCKS": {"json", strings.Replace(proxy.URL, "http://", "socks5://aladdin:hunter2@", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "log")
			got := run(t, "crawl", "http://site.test/", "--output", filepath.Join(t.TempDir(), "out"), "--proxy", tt.proxy, "--delay", "0s", "--retries", "1", "--robots-timeout", "1s",
				"--max-wait", "0s", "--log", tt.format, "--log-level", "debug", "--log-file", file)
			text := readText(t, file)
			for _, secret := range []string{"hunter2", "aladdin", base64.StdEncoding.EncodeToString([]byte("aladdin:hunter2"))} {
				if strings.Contains(text+got.Stderr, secret) || len(text) < 500 {
					t.Errorf("%q is told: %s%s", secret, text, got.Stderr)
				}
			}
		})
	}
}

// proxyUser reads who a proxy is told is asking.
func proxyUser(r *http.Request) (user, password string, ok bool) {
	asked := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	return asked.BasicAuth()
}

// TestErrorsHoldNoPassword holds that a start URL or a proxy that is refused is shown
// without the password in it.
func TestErrorsHoldNoPassword(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"http://h/", "--proxy", "ftp://alice:hunter2@h"}, {"http://h/", "--proxy", "http://alice:hunter2@h:x"},
		{"http://h/", "--proxy", "http://alice:hunter2/2@h:3128"}, {"http://h/", "--proxy", "http://alice:1/hunter2@h:3128"}, {"http://h/", "--proxy", "http://alice:1?hunter2@h:3128"},
		{"http://h/", "--proxy", "http://alice:1#hunter2@h:3128"}, {"http://h/", "--proxy", "alice:hunter2@h:3128"}, {"http://h/", "--proxy", "http://alice:hunter2%@h"},
	} {
		got := run(t, append([]string{"crawl", "--output", out}, args...)...)
		if got.Code != cli.ExitMisuse || got.Stderr == "" || strings.Contains(got.Stderr, "hunter2") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	for _, url := range []string{
		"alice:hunter2@h/", "//alice:hunter2@h/", "ftp://alice:hunter2@h/", "http://alice:hunter2@h:x/", "https://alice:hunter2/2@h/",
		"https://alice:hunter2@/", "https://alice:hunter2@h:99999/", "https://alice:hunter%2@h/", "https://alice:hunter2 @h/",
	} {
		commands := [][]string{{"crawl", url}, {"plan", url}, {"robots", "check", url}, {"permit", url}, {"crawl", "--url-file", clitest.WriteFile(t, "seeds", url+"\n")}}
		if strings.Contains(url, "://") { // else they take it for a file
			commands = append(commands, []string{"robots", "show", url}, []string{"robots", "lint", url}, []string{"sitemap", url})
		}
		for _, args := range commands {
			if got := run(t, args...); got.Code == cli.ExitDone || got.Stderr == "" || strings.Contains(got.Stderr+got.Out, "hunter2") {
				t.Errorf("%q: %+v", args, got)
			}
		}
		if err := (crawler.Config{URLs: []string{url}}).Validate(); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestLogFlags holds what goes where.
func TestLogFlags(t *testing.T) {
	site := smallSite(t)
	crawl := func(args ...string) clitest.Result {
		out := filepath.Join(t.TempDir(), "out")
		return run(t, append([]string{"crawl", site.url, "--output", out, "--delay", "0s", "--max-pages", "1"}, args...)...)
	}
	if got := crawl(); got.Code != cli.ExitDone || strings.Contains(got.Stderr, "level=") {
		t.Errorf("without --log: %+v", got)
	}
	for level, begun := range map[string]bool{"debug": true, "info": true, "warn": false} {
		args := []string{"--log", "text", "--log-level", level, "--quiet"}
		got := crawl(args...)
		if got.Code != cli.ExitDone || got.Out != "" || strings.Contains(got.Stderr, `level=INFO msg="crawl started"`) != begun || strings.Contains(got.Stderr, "DEBUG") != (level == "debug") {
			t.Errorf("%q: %+v", args, got)
		}
		for line := range strings.Lines(got.Stderr) {
			if !strings.HasPrefix(line, "time=") {
				t.Errorf("%q: a line that is none of the log: %q", args, line)
			}
		}
	}
	file := clitest.WriteFile(t, "log", "kept\n")
	if got := crawl("--log", "json", "--log-file", file); got.Code != cli.ExitDone || strings.Contains(got.Stderr, "crawl started") || got.Out == "" {
		t.Errorf("%+v", got)
	}
	lines := strings.SplitAfter(readText(t, file), "\n")
	if lines[0] != "kept\n" || len(lines) < 5 || lines[len(lines)-1] != "" {
		t.Errorf("the file holds %q", lines)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q is not JSON", line)
		}
	}

	t.Run("misuse", func(t *testing.T) {
		run(t, "crawl", site.url, "--log", "loud").WantRefusal(t, cli.ExitMisuse, `--log: "loud" is not one of text, json, off`)
		run(t, "crawl", site.url, "--log", "").WantRefusal(t, cli.ExitMisuse, `--log: "" is not one of text, json, off`)
		run(t, "crawl", site.url, "--log-level", "info+2").WantRefusal(t, cli.ExitMisuse, `--log-level: "info+2" is not one of debug, info, warn, error`)
		crawl("--log-file", file).WantRefusal(t, cli.ExitMisuse, "log-file is", "but log is off", "add --log text or --log json")
		crawl("--log", "text", "--log-file", t.TempDir()).WantRefusal(t, cli.ExitMisuse, "log-file: ", "is a directory", "name a file that you can write to")
	})
	t.Run("resume", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "crawl")
		done(t, "crawl", site.url, "--output", dir, "--delay", "0s", "--max-pages", "1", "--log", "text", "--log-file", file)
		if state := readText(t, filepath.Join(dir, "crawl.json")); strings.Contains(state, `"log`) {
			t.Errorf("the log is kept with the crawl: %s", state)
		}
		if got := run(t, "crawl", "--resume", dir); strings.Contains(got.Stderr, "level=") {
			t.Errorf("the log goes on by itself: %s", got.Stderr)
		}
		t.Setenv("POLITECRAWL_LOG", "text")
		t.Setenv("POLITECRAWL_CONCURRENCY", "0") // which is not asked
		if got := run(t, "crawl", "--recrawl", dir, "--quiet"); got.Code != cli.ExitDone || !strings.Contains(got.Stderr, "recrawl=true") {
			t.Errorf("%+v", got)
		}
		t.Setenv("POLITECRAWL_LOG", "loud")
		run(t, "crawl", "--recrawl", dir).WantRefusal(t, cli.ExitMisuse, `log in environment POLITECRAWL_LOG: "loud" is not one of text, json, off`)
	})
	t.Run("file", func(t *testing.T) {
		config := clitest.WriteFile(t, "c.yaml", "log: off\nlog-level: debug\n") // off is no truth value here
		if got := crawl("--config", config, "--quiet"); got != (clitest.Result{}) {
			t.Errorf("%+v", got)
		}
		if got := crawl("--config", config, "--quiet", "--log", "text"); !strings.Contains(got.Stderr, "level=DEBUG msg=\"page fetched\" url="+site.url) {
			t.Errorf("%+v", got)
		}
	})
}

// TestLogFileFull: that a log cannot be written is told once, and ends no crawl.
func TestLogFileFull(t *testing.T) {
	const full = "/dev/full"
	_, err := os.Stat(full)
	clitest.Need(t, err)
	got := run(t, "crawl", smallSite(t).url, "--output", filepath.Join(t.TempDir(), "out"), "--delay", "0s", "--quiet", "--log", "json", "--log-file", full)
	got.WantRefusal(t, cli.ExitDone, `log-file: write "/dev/full"`, "no space left on device", "free space on that disk")
}
