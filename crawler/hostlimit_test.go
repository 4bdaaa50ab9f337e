package crawler

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
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
	cfg.MaxPages = 200 // else it would not come to an end
	cfg.Proxies, cfg.Scope, cfg.MaxHosts = []string{proxy.url}, ScopeDomain, 10
	got := run(t, cfg, nil)
	if got.Hosts != 10 || got.Pages != 20 || got.Rejected[output.TooManyHosts] != 11 {
		t.Errorf("%+v", got.Summary)
	}
	if len(got.notices) != 1 || !strings.Contains(got.notices[0], "max-hosts") {
		t.Errorf("notices %q", got.notices)
	}
	got = resume(t, cfg, func(c *Config) { c.MaxHosts = 12 })
	if got.Hosts != 12 || got.Pages != 24 || got.Rejected[output.TooManyHosts] != 13 {
		t.Errorf("%+v", got.Summary)
	}
}

// hostsAsked counts what a frontier is asked about hosts.
type hostsAsked struct {
	frontier.Frontier
	hosts int
}

func (f *hostsAsked) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	f.hosts++
	return f.Frontier.Host(ctx, host)
}

// Of a host that was refused the frontier is not asked for each link to it, but later: it
// may have come from elsewhere. One that joins is never refused.
func TestHostLimitRemembersRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hostsAsked{Frontier: frontier.NewMemory(nil)}
		l := &hostLimit{most: 1, full: func() {}}
		admits := func(host frontier.Host, want bool, asked int) {
			t.Helper()
			if ok, err := l.admits(t.Context(), f, host); err != nil || ok != want || f.hosts != asked {
				t.Errorf("%s is admitted: %t, %v; the frontier was asked %d times, want %d", host, ok, err, f.hosts, asked)
			}
		}
		admits("a.test", true, 1)
		for range 10 {
			admits("b.test", false, 2)
		}
		for i := range 2 * maxKnownHosts {
			if _, err := l.admits(t.Context(), f, frontier.Host(fmt.Sprintf("h%d.test", i))); err != nil {
				t.Fatal(err)
			}
		}
		if len(l.refused) > maxKnownHosts {
			t.Errorf("%d are remembered", len(l.refused))
		}
		asked := f.hosts
		admits("c.test", false, asked+1)
		l.joined("c.test")
		admits("c.test", true, asked+1)
		admits("d.test", false, asked+2)
		if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://d.test/"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(refusedFor)
		admits("d.test", true, asked+3)
	})
}

// A host counts once, also when what was remembered of it is forgotten.
func TestHostLimitCountsOnce(t *testing.T) {
	f := frontier.NewMemory(nil)
	told := 0
	l := &hostLimit{most: 3, full: func() { told++ }}
	admits := func(host frontier.Host, want bool) {
		t.Helper()
		if ok, err := l.admits(t.Context(), f, host); err != nil || ok != want {
			t.Errorf("%s is admitted: %t, %v", host, ok, err)
		}
	}
	for _, host := range []frontier.Host{"a.test", "b.test"} {
		if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://" + string(host) + "/"}}); err != nil {
			t.Fatal(err)
		}
		admits(host, true)
	}
	admits("c.test", true)
	admits("d.test", false)
	admits("e.test", false)
	clear(l.known)
	admits("a.test", true)
	if l.most = 0; told != 1 {
		t.Errorf("told %d times", told)
	}
	admits("e.test", true)
}
