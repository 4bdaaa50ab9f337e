package crawler

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/identity"
)

// newIdentity makes the identity of examplebot and returns its directory.
func newIdentity(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "identity")
	if _, err := identity.Create(dir, identity.Settings{Agent: "https://bot.example.com", Name: "examplebot"}, identity.FileSource, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// An identity that cannot sign, or that is another crawler's, ends a crawl and a plan before they write
// or request anything.
func TestIdentityIsCheckedAtTheStart(t *testing.T) {
	unreadable := newIdentity(t)
	opened, err := identity.Open(unreadable, nil)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(unreadable, "keys", opened.Keys()[0].ID+".pem"), []byte("hunter2"), 0o600))
	for _, tt := range []struct{ name, dir, agent, want string }{
		{"no directory", filepath.Join(t.TempDir(), "absent"), "examplebot/1.0", "politecrawl identity init"},
		{"no key", unreadable, "examplebot/1.0", "delivers no key"},
		{"another user agent", newIdentity(t), "otherbot/1.0", "is that of examplebot, and the user agent that of otherbot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := testConfig(t, "http://127.0.0.1:1/")
			cfg.Fetch.Identity, cfg.Fetch.UserAgent = tt.dir, tt.agent
			_, err := newCrawler(t, cfg, nil).Run(t.Context())
			_, planErr := NewPlanner(cfg, nil)
			for _, err := range []error{err, planErr} {
				bad, ok := errors.AsType[*ConfigError](err)
				if !ok || bad.Key != "identity" || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("got %v, want %q", err, tt.want)
				}
			}
			if _, err := os.Stat(cfg.Output.Dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory was made: %v", err)
			}
		})
	}
}

// crawl.json has the absolute path of the identity, so that a crawl can be resumed elsewhere.
func TestIdentityIsKeptAsAbsolutePath(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "x"})
	dir := newIdentity(t)
	t.Chdir(filepath.Dir(dir))
	cfg := testConfig(t, s.url+"/")
	cfg.Fetch.Identity, cfg.Fetch.UserAgent = filepath.Base(dir), "examplebot/1.0"
	if _, err := newCrawler(t, cfg, nil).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	saved, err := LoadConfig(cfg.Output.Dir)
	if err != nil || !filepath.IsAbs(saved.Fetch.Identity) {
		t.Errorf("%q %v", saved.Fetch.Identity, err)
	}
	t.Chdir(t.TempDir())
	if _, err := newCrawler(t, saved, &Options{Resume: true}).Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// A resolver knows one name.
type resolver struct{}

func (resolver) LookupAddr(_ context.Context, addr string) ([]string, error) {
	if addr == "198.51.100.1" {
		return []string{"crawler.example.com."}, nil
	}
	return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
}

func (resolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("198.51.100.1")}, nil
}

// With check-dns, a crawl says what is wrong with the names of the machine, and continues.
func TestCheckDNSIsANotice(t *testing.T) {
	for _, tt := range []struct {
		name, addr, proxy string
		on                bool
		want              string
	}{
		{"off", "198.51.100.2", "", false, ""},
		{"confirmed", "198.51.100.1", "", true, ""},
		{"no name", "198.51.100.2", "", true, "has no name in DNS; ask its provider for a PTR record such as crawler.example.com (check-dns)"},
		{"no address", "", "", true, "no public address"},
		{"proxy", "198.51.100.2", "http://127.0.0.1:1", true, "requests go through a proxy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": "x"})
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.Identity, cfg.Fetch.UserAgent, cfg.Fetch.CheckDNS = newIdentity(t), "examplebot/1.0", tt.on
			var notices []string
			c := newCrawler(t, cfg, &Options{OnNotice: func(line string) { notices = append(notices, line) }})
			c.dns = identity.DNS{Resolver: resolver{}, Addrs: func() (list []netip.Addr, err error) {
				if tt.addr != "" {
					list = append(list, netip.MustParseAddr(tt.addr))
				}
				return list, nil
			}}
			if tt.proxy != "" {
				c.cfg.Fetch.Proxies = []string{tt.proxy}
			}
			signer, err := c.openIdentity()
			must(t, err)
			c.checkDNS(signer)
			if (tt.want == "") != (len(notices) == 0) || !strings.Contains(strings.Join(notices, "\n"), tt.want) {
				t.Errorf("got %q, want %q", notices, tt.want)
			}
			if tt.proxy != "" {
				return
			}
			if sum, err := c.Run(t.Context()); err != nil || sum.Pages != 1 { // whatever it says
				t.Errorf("%+v %v", sum, err)
			}
		})
	}
}
