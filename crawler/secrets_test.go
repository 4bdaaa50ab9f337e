package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestWithoutProxyUser(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:3128":                 "http://h:3128",
		"http://me:hunter2@h:3128":      "http://***@h:3128",
		"http://me:hun@ter2@h:3128":     "http://***@h:3128",
		"me:hunter2@h:3128":             "***@h:3128",
		"socks5://me:hun/ter2@h":        "socks5://***@h",
		"http://me:hunter2@h:3128/?a@b": "http://***@b", // what is no proxy
		"http://h:3128/?key=hunter2":    "http://h:3128/?***",
		"http://me:hun@h?ter2#x":        "http://***@h?***",
	} {
		if got := withoutProxyUser(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
		cfg := Config{Fetch: Fetch{Proxies: []string{in}}}
		if got := cfg.WithoutSecrets().Fetch.Proxies[0]; got != want || cfg.Fetch.Proxies[0] != in {
			t.Errorf("%q is written as %q, want %q; the configuration has %q", in, got, want, cfg.Fetch.Proxies[0])
		}
	}
}

// A proxy that has lost its user is refused: it would be asked without.
func TestProxyWithoutItsUser(t *testing.T) {
	cfg := testConfig(t, "http://a.test/")
	cfg.Fetch.Proxies = []string{"http://***@h:3128"}
	if err := cfg.Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "not kept with a crawl") {
		t.Error(err)
	}
}

// What a program is told, that uses this package, has no password of a URL either: no
// notice, no line of the log, no line of the output.
func TestNoticesHoldNoPassword(t *testing.T) {
	const user = "alice:hunter2@"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/index.xml\nSitemap: {site}/torn.xml\n",
		"/torn.xml":   "<urlset></http://" + user + "b.test></urlset>",
		"/index.xml":  "<sitemapindex><sitemap><loc>http://" + user + "elsewhere.test/map.xml</loc></sitemap></sitemapindex>",
		"/":           `<a href="http://` + user + `a.test:x/">no URL</a><a href="http://` + user + `elsewhere.test/">out</a>`,
	})
	var log bytes.Buffer
	cfg := testConfig(t, s.url+"/")
	got := run(t, cfg, &Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if text := fmt.Sprint(got.notices); strings.Contains(text, "hunter2") || !strings.Contains(text, "http://***@elsewhere.test/map.xml is not read") || !strings.Contains(text, "http://***@b.test") {
		t.Errorf("notices: %s", text)
	}
	if text := log.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "http://***@elsewhere.test/map.xml") {
		t.Errorf("log: %s", text)
	}
	sitemaps := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl")
	if text := fmt.Sprintf("%+v %+v %+v", got.pages, got.rejected, sitemaps); strings.Contains(text, "hunter2") || len(got.rejected) != 3 {
		t.Errorf("output: %s", text)
	}
}

// A rule that kept a URL away is repeated without a user, by a crawl and by its plan. The
// URL itself has that text in its path, where it is no user's, and is left as it is.
func TestRulesHoldNoPassword(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\nUser-agent: *\nDisallow: //alice:hunter2@h/x\n",
		"/map.txt":    "{site}//alice:hunter2@h/x\n",
	})
	const want = "Disallow: //***@h/x"
	cfg := testConfig(t, s.url+"/")
	if _, plan := makePlan(t, cfg, nil); len(plan.Disallowed) != 1 || plan.Disallowed[0].Rule != want {
		t.Errorf("plan: %+v", plan.Disallowed)
	}
	if got := run(t, cfg, nil); len(got.rejected) != 1 || got.rejected[0].Rule != want || got.rejected[0].URL != s.url+"//alice:hunter2@h/x" {
		t.Errorf("rejected: %+v", got.rejected)
	}
}

// Why a URL was left alone says nothing of a user, whatever error that is.
func TestDetailHoldsNoPassword(t *testing.T) {
	r := skipFor(output.Failed, fmt.Errorf(`get "http://alice:hunter2@proxy.test/": %w`, io.EOF)).skipped
	if want := `get "http://***@proxy.test/": EOF`; r.Detail != want {
		t.Errorf("%q, want %q", r.Detail, want)
	}
}

// A proxy of the environment that is not understood is not passed over, and its password
// is not shown.
func TestProxyVariables(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "https_proxy"} {
		for value, wrong := range map[string]bool{
			"proxy.example:3128": false, "http://user:word@proxy.example:3128": false, "socks5://proxy.example": false, "": false,
			"http://user:p%zz@proxy.example:3128": true, "user:pa/ss@proxy.example:3128": true, "ftp://proxy.example": true,
		} {
			t.Setenv(name, value)
			_, err := New(testConfig(t, "http://127.0.0.1/"), nil)
			if wrong != errors.Is(err, ErrConfig) || wrong && (!strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "zz") || strings.Contains(err.Error(), "user")) {
				t.Errorf("%s=%s: %v", name, value, err)
			}
			t.Setenv(name, "")
		}
	}
}
