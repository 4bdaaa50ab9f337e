//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
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

// Of the environment counts what is not kept with a crawl, and the help says so.
func TestHelpNamesWhatIsNotKept(t *testing.T) {
	for _, args := range [][]string{{"help", "settings"}, {"crawl", "--help"}} {
		clitest.WantParts(t, run(t, args...).Out,
			settings.TokenVariable, "POLITECRAWL_REDIS_PASSWORD", "of POLITECRAWL_PROXY the users and passwords", "HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
	}
}
