//go:build linux

package e2e

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
)

// A proxy of the environment is told of before anything else is said of the crawl.
func TestProxyOfTheEnvironment(t *testing.T) {
	for _, name := range []string{"http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTP_PROXY", "http://aladdin:hunter2@127.0.0.1:9")
	got := runChild(t, "", nil, "crawl", "http://site.test/", "--output", filepath.Join(t.TempDir(), "crawl"), "--delay", "0s", "--max-wait", "0s")
	if !strings.HasPrefix(got.Stderr, "note: ") || !strings.Contains(got.Stderr, "HTTP_PROXY (http://127.0.0.1:9)") || strings.Contains(got.Stderr, "hunter2") {
		t.Errorf("%+v", got)
	}
}

// The help says what a resumed crawl reads from the environment.
func TestHelpSaysWhatResumeReadsFromTheEnvironment(t *testing.T) {
	clitest.WantParts(t, run(t, "help", "settings").Out,
		flags.TokenVariable, "POLITECRAWL_REDIS_PASSWORD", "POLITECRAWL_PROXY, POLITECRAWL_HEADER,\nPOLITECRAWL_HEADER_FOR and POLITECRAWL_BASIC_AUTH")
	clitest.WantParts(t, run(t, "help", "resume").Out, "The environment sets only what is not stored", `"politecrawl help settings"`)
	clitest.WantParts(t, run(t, "help", "network").Out, "HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
}

// net/http logs what a server sends behind a response to standard error by itself.
func TestBytesAfterAResponseAreNotPrinted(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		// The connection stays open, as after a response of this length.
		_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnoneand more\n")
		t.Cleanup(func() { conn.Close() })
	})
	got := runChild(t, "", nil, "crawl", site.URL+"/", "--output", filepath.Join(t.TempDir(), "crawl"), "--delay", "50ms")
	if text := got.Out + got.Stderr; got.Code != cli.ExitDone || strings.Contains(text, "and more") || !strings.Contains(text, "pages") {
		t.Errorf("%+v", got)
	}
}
