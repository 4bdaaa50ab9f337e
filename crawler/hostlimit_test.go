package crawler

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Of endless hosts as many are taken up as may be; those that are known go on.
func TestMaxHosts(t *testing.T) {
	// One machine that serves every name of a domain, through which all goes.
	proxy := newSite(t, "127.0.0.1", nil)
	proxy.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		var n int
		_, _ = fmt.Sscanf(r.Host, "h%d.trap.test", &n)
		_, _ = fmt.Fprintf(w, `<a href="http://h%d.trap.test/">next</a><a href="http://h%d.trap.test/">one more</a><a href="/a">a</a>`, 2*n+1, 2*n+2)
	})
	proxy.mux.HandleFunc("/robots.txt", http.NotFound)
	cfg := testConfig(t, "http://h0.trap.test/")
	cfg.Limits.MaxPages = 200 // else it would not come to an end
	cfg.Fetch.Proxies, cfg.Scope.Kind, cfg.Limits.MaxHosts = []string{proxy.url}, ScopeDomain, 10
	got := run(t, cfg, nil)
	if got.Hosts != 10 || got.Pages != 20 || got.Rejected[output.TooManyHosts] != 11 {
		t.Errorf("%+v", got.Summary)
	}
	if len(got.notices) != 1 || !strings.Contains(got.notices[0], "max-hosts") {
		t.Errorf("notices %q", got.notices)
	}
	got = resume(t, cfg, func(c *Config) { c.Limits.MaxHosts = 12 })
	if got.Hosts != 12 || got.Pages != 24 || got.Rejected[output.TooManyHosts] != 13 {
		t.Errorf("%+v", got.Summary)
	}
}
