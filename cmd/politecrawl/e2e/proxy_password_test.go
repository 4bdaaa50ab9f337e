package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

// TestProxyPasswordIsNotKept holds that the directory of a crawl has no password of a
// proxy, and that the crawl goes on when it is given the proxy again, and not before.
func TestProxyPasswordIsNotKept(t *testing.T) {
	proxy := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := proxyUser(r); user != "aladdin" || password != "hunter2" {
			w.WriteHeader(http.StatusProxyAuthRequired)
		}
	})
	whole := strings.Replace(proxy.URL, "http://", "http://aladdin:hunter2@", 1)
	shown := strings.Replace(proxy.URL, "http://", "http://***@", 1)
	dir := filepath.Join(t.TempDir(), "crawl")
	t.Setenv("POLITECRAWL_PROXY", whole)
	if got := run(t, "crawl", "http://site.test/", "--output", dir, "--delay", "0s"); got.Code != cli.ExitDone || strings.Contains(got.Stderr, "process list") {
		t.Fatalf("%+v", got)
	}
	state := func() string { t.Helper(); return readText(t, filepath.Join(dir, "crawl.json")) }
	if strings.Contains(state(), "hunter2") || !strings.Contains(state(), shown) {
		t.Errorf("crawl.json is\n%s", state())
	}
	for _, tt := range []struct {
		environ string
		args    []string
		refused bool
	}{
		{whole, []string{"--resume", dir}, false},
		{"", []string{"--resume", dir}, true},
		{"http://aladdin:hunter2@another.test:1", []string{"--recrawl", dir}, true},
		{"http://first.test:1 " + whole, []string{"--recrawl", dir}, false},
		{"", []string{"--recrawl", dir, "--proxy", whole, "--listen", "127.0.0.1:0", "--listen-token", "hunter2"}, false},
		{"", []string{"--resume", dir, "--proxy", shown}, true},
		{"", []string{"--resume", dir, "--proxy", proxy.URL}, false}, // one that asks for no password
		{"", []string{"--resume", dir}, false},
	} {
		t.Setenv("POLITECRAWL_PROXY", tt.environ)
		got := run(t, append([]string{"crawl"}, tt.args...)...)
		if tt.refused {
			got.WantRefusal(t, cli.ExitMisuse, shown, "POLITECRAWL_PROXY", "--proxy")
		} else if got.Code != cli.ExitDone {
			t.Errorf("%q with %q: %+v", tt.args, tt.environ, got)
		}
		for flag, variable := range map[string]string{whole: "POLITECRAWL_PROXY", "--listen-token": "POLITECRAWL_LISTEN_TOKEN"} {
			note := "in the process list; set " + variable
			if given := slices.Contains(tt.args, flag); given != strings.Contains(got.Stderr, note) {
				t.Errorf("%q: it is said that it is seen: %t: %s", tt.args, !given, got.Stderr)
			}
		}
		if text := state() + got.Out + got.Stderr; strings.Contains(text, "hunter2") || strings.Contains(text, "aladdin") {
			t.Errorf("%q with %q: %s", tt.args, tt.environ, text)
		}
	}
	if saved, err := crawler.LoadConfig(dir); err != nil || saved.Fetch.Proxies[0] != proxy.URL {
		t.Errorf("%q, %v", saved.Fetch.Proxies, err)
	}
}
