package crawler

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

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
