//go:build linux

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// peak crawls as a process of its own, and returns how many bytes its memory held at the
// most: what the program reads of its own accord at /metrics.
func peak(t *testing.T, environ []string, args ...string) (bytes float64, code int) {
	t.Helper()
	cmd := clitest.Process(t, append(args, "--listen", "127.0.0.1:0")...)
	cmd.Env = append(cmd.Env, environ...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	go func() {
		defer close(url)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := regexp.MustCompile(`live page: (http://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
				url <- m[1] + "metrics"
			}
		}
	}()
	at := <-url
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for range time.Tick(10 * time.Millisecond) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			break // it has ended
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if m := regexp.MustCompile(`(?m)^go_memstats_heap_inuse_bytes (\S+)$`).FindSubmatch(text); m != nil {
			if n, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
				bytes = max(bytes, n)
			}
		}
	}
	for range url {
	}
	_ = cmd.Wait()
	return bytes, cmd.ProcessState.ExitCode()
}

// TestMemoryLimit holds that a crawl of large pages keeps to GOMEMLIMIT, by collecting
// garbage sooner than it else does.
func TestMemoryLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls large pages on 16 hosts")
	}
	t.Parallel()
	const hosts, pages, limit = 16, 2, 100 << 20
	body := []byte("<p>" + strings.Repeat("Some text to be read. ", 4<<20/22))
	var urls []string
	for range hosts {
		s := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
			var i int
			if _, err := fmt.Sscanf(r.URL.Path, "/%d", &i); err != nil {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<a href="/%d">next</a>`, min(i+1, pages-1))
			_, _ = w.Write(body)
		})
		urls = append(urls, s.URL+"/0")
	}
	used := make(map[string]float64)
	for _, environ := range []string{"GOMEMLIMIT=off", fmt.Sprintf("GOMEMLIMIT=%d", limit)} {
		dir := filepath.Join(t.TempDir(), "crawl")
		bytes, code := peak(t, []string{environ}, append([]string{"crawl", "--output", dir, "--delay", "0s"}, urls...)...)
		if n := len(jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl"))); code != cli.ExitDone || n != hosts*pages {
			t.Errorf("%s: exit code %d, %d pages", environ, code, n)
		}
		t.Logf("%s: %.0f MB at the most", environ, bytes/1e6)
		used[environ] = bytes
	}
	free, kept := used["GOMEMLIMIT=off"], used[fmt.Sprintf("GOMEMLIMIT=%d", limit)]
	if kept > 1.6*limit || kept >= free { // what is in use at a time comes near to the limit
		t.Errorf("%.0f MB, without a limit %.0f MB", kept/1e6, free/1e6)
	}
}
