package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// net/http logs what a server sends behind a response to standard error by itself.
func TestBytesAfterAResponseAreNotPrinted(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		// The connection stays open, as after a response of this length.
		io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nnoneand more\n")
		t.Cleanup(func() { conn.Close() })
	}))
	defer site.Close()
	cmd := clitest.Process(t, "crawl", site.URL+"/", "--output", filepath.Join(t.TempDir(), "crawl"), "--delay", "50ms")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if text := out.String() + stderr.String(); strings.Contains(text, "and more") || !strings.Contains(text, "pages") {
		t.Errorf("%s", text)
	}
}
