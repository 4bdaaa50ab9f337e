package report

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// A report is served, with all URLs, until the program is interrupted, and no file is written.
func TestReportServe(t *testing.T) {
	dir := sampleCrawl(t)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := program.Process(t, "report", dir, "--serve", "127.0.0.1:0", "--rows", "1")
		pipe := clitest.Must(cmd.StderrPipe())(t)
		var out bytes.Buffer
		cmd.Stdout = &out
		clitest.OK(t, cmd.Start())
		stderr := bufio.NewReader(pipe)
		line := clitest.Must(stderr.ReadString('\n'))(t)
		m := regexp.MustCompile(`^the report is at (http://127\.0\.0\.1:\d+/); Ctrl-C stops it\n$`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("standard error says %q", line)
		}
		for path, want := range map[string]string{"": "<h1>", "urls?rows=1&kind=skipped": `{"total":1,"rows":[["https://a.example/private",`, "url?url=https://a.example/private": `"reason":"disallowed"`} {
			req := clitest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, m[1]+path, http.NoBody))(t)
			resp := clitest.Must((&http.Transport{DisableKeepAlives: true}).RoundTrip(req))(t)
			body := string(clitest.Must(io.ReadAll(resp.Body))(t))
			clitest.OK(t, resp.Body.Close())
			if resp.StatusCode != 200 {
				t.Errorf("/%s: status %d", path, resp.StatusCode)
			}
			clitest.WantParts(t, body, want)
		}
		clitest.OK(t, cmd.Process.Signal(sig))
		rest := clitest.Must(io.ReadAll(stderr))(t)
		if err := cmd.Wait(); err != nil || out.Len() > 0 || len(rest) > 0 {
			t.Errorf("after %v: %v, %q, %q", sig, err, out.String(), rest)
		}
	}
	for _, name := range []string{report.HTMLFile, report.JSONFile} {
		if clitest.Exists(filepath.Join(dir, name)) {
			t.Errorf("%s is written", name)
		}
	}
	run(t, "report", dir, "--serve", "127.0.0.1:0", "--rows", "0").WantRefusal(t, cli.ExitMisuse, "--rows: 0 is less than 1")
}
