package e2e

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/root"
)

const listenToken = "a-token-that-is-hard-to-guess"

// A caller calls somebody with each line that is written.
type caller struct {
	clitest.Buffer
	call func(line string)
}

func (c *caller) Write(b []byte) (int, error) {
	c.call(string(b))
	return c.Buffer.Write(b)
}

// TestListen watches a crawl by its token, and stops it; the token is in nothing that
// is printed or kept.
func TestListen(t *testing.T) {
	t.Setenv(flags.TokenVariable, listenToken)
	dir := filepath.Join(t.TempDir(), "crawl")
	ask := func(method, url, token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp.StatusCode, string(body)
	}
	watched := ""
	var out bytes.Buffer
	stderr := &caller{call: func(line string) {
		m := regexp.MustCompile(`live page: (http://127\.0\.0\.1:\d+/) \(open it once with \?token=TOKEN\)\n`).FindStringSubmatch(line)
		if m == nil {
			return
		}
		watched = m[1]
		if status, _ := ask("GET", watched, ""); status != 401 {
			t.Errorf("without the token: status %d", status)
		}
		if status, body := ask("GET", watched, listenToken); status != 200 || !strings.Contains(body, "<h1>127.0.0.1") || !strings.Contains(body, "other hosts</h1>") {
			t.Errorf("with the token: status %d, %s", status, body)
		}
		for path, want := range map[string]string{"metrics": "politecrawl_pages_total", "healthz": "ok", "debug/pprof/": "goroutine"} {
			if status, body := ask("GET", watched+path, listenToken); status != 200 || !strings.Contains(body, want) {
				t.Errorf("/%s: status %d", path, status)
			}
		}
		if status, body := ask("POST", watched+"stop", listenToken); status != 204 {
			t.Errorf("stop: status %d, %s", status, body)
		}
	}}
	p := &cli.Streams{In: strings.NewReader(""), Out: &out, Err: stderr}
	p.Run(t.Context(), root.Command(p), []string{"demo", "--listen", "127.0.0.1:0", "--pprof", "--output", dir})
	if watched == "" {
		t.Fatalf("it does not say where it can be watched: %s", stderr.String())
	}
	if !strings.Contains(out.String(), "stopped after") {
		t.Errorf("it was not stopped: %s", out.String())
	}
	if conn, err := net.Dial("tcp", strings.Trim(watched, "htp:/")); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
	if strings.Contains(out.String()+stderr.String(), listenToken) {
		t.Error("the token was printed")
	}
	wantNowhere(t, dir, listenToken)
}

func TestListenMisuse(t *testing.T) {
	taken := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	for _, tt := range []struct {
		args  []string
		words []string
	}{
		{[]string{"--listen", ":0"}, []string{"politecrawl: --listen: a token is required", "127.0.0.1:0", flags.TokenVariable}},
		{[]string{"--listen", "0.0.0.0:8080"}, []string{"can be reached from other machines", "127.0.0.1:8080", flags.TokenVariable}},
		{[]string{"--listen", "8080"}, []string{`--listen: cannot listen on "8080"`, "HOST:PORT"}},
		{[]string{"--listen", taken.Addr().String()}, []string{"--listen: cannot listen", "in use"}},
		{[]string{"--listen-token", listenToken}, []string{"--listen 127.0.0.1:8080"}},
		{[]string{"--pprof"}, []string{"--listen 127.0.0.1:8080"}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			got := refusedCrawl(t, append(tt.args, "http://127.0.0.1:1/"), tt.words...)
			if strings.Contains(got.Stderr, listenToken) {
				t.Errorf("the token was printed: %s", got.Stderr)
			}
		})
	}
}
