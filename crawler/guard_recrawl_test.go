package crawler

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestRecrawlOfRefused: each recrawl checks again the URLs that were refused when they were due,
// for a robots.txt redirect or the address of their host. They are listed once while refused, and
// fetched when allowed.
func TestRecrawlOfRefused(t *testing.T) {
	t.Parallel()
	var repaired atomic.Bool
	other := newSite(t, "127.0.0.3", map[string]string{"/x": "x", "/s.txt": "{site}/listed\n", "/listed": "listed"})
	other.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("Cache-Control", "no-cache"); !repaired.Load() && !strings.HasPrefix(r.Host, "name.example") {
			http.Redirect(w, r, metadata, http.StatusFound)
		}
	})
	name := strings.Replace(other.url, "127.0.0.3", "name.example", 1)
	redirected := "its robots.txt redirects to " + metadata + ": address 169.254.169.254"
	for _, tt := range []struct {
		way, url, why string
		pages         map[string]string
		moved         bool // /m of the site redirects to url
	}{
		{way: "link", url: other.url + "/x", why: redirected, pages: map[string]string{"/": `<a href="` + other.url + `/x">x</a>`}},
		{way: "link to a name", url: name + "/x", why: "address 127.0.0.1", pages: map[string]string{"/": `<a href="` + name + `/x">x</a>`}},
		{way: "redirect", url: other.url + "/x", why: redirected, pages: map[string]string{"/": `<a href="/m">m</a>`}, moved: true},
		{way: "redirect to a name", url: name + "/x", why: "address 127.0.0.1", pages: map[string]string{"/": `<a href="/m">m</a>`}, moved: true},
		{way: "sitemap", url: other.url + "/s.txt", why: redirected, pages: map[string]string{"/": "home", "/robots.txt": "Sitemap: " + other.url + "/s.txt\n"}},
		{way: "sitemap at a name", url: name + "/s.txt", why: "address 127.0.0.1", pages: map[string]string{"/": "home", "/robots.txt": "Sitemap: " + name + "/s.txt\n"}},
	} {
		t.Run(tt.way, func(t *testing.T) {
			repaired.Store(false)
			s := newSite(t, "127.0.0.2", tt.pages)
			if tt.moved {
				s.handle("/m", redirect(tt.url))
			}
			cfg := guardedConfig(t, s.url+"/")
			cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
			path := tt.url[strings.LastIndex(tt.url, "/"):]
			for round := range 2 {
				got := runChanged(t, cfg, &Options{Recrawl: round > 0}, resolvingTo("127.0.0.1"))
				got.wantRefused(t, tt.url, tt.why)
				if len(got.rejected) != 1 || got.Rejected[output.BlockedAddress] != 1 {
					t.Errorf("round %d: %+v", round, got.rejected)
				}
				if n := s.count("/"); n != round+1 {
					t.Errorf("round %d: the page was asked for %d times", round, n)
				}
			}
			before := other.count(path)
			repaired.Store(true)
			got := runChanged(t, cfg, &Options{Recrawl: true}, resolvingTo("127.0.0.3"))
			if n := other.count(path) - before; n != 1 || got.Rejected[output.BlockedAddress] != 0 {
				t.Errorf("%s was asked for %d times when it was well again; %+v", path, n, got.rejected)
			}
			if strings.HasPrefix(tt.way, "sitemap") {
				files := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl")
				if len(files) != 1 || files[0].URL != tt.url || files[0].Pages != 1 || got.Pages != 2 || other.count("/listed") == 0 {
					t.Errorf("sitemaps.jsonl: %+v; pages %+v", files, got.pages)
				}
			} else if !slices.ContainsFunc(got.pages, func(p output.Page) bool { return p.URL == tt.url && p.Status == 200 }) {
				t.Errorf("pages %+v", got.pages)
			}
		})
	}
}

// TestRecrawlOfRefusedHost: if the robots.txt of a host starts to redirect to a blocked address,
// its URLs from links and sitemaps are kept.
func TestRecrawlOfRefusedHost(t *testing.T) {
	var broken atomic.Bool
	other := newSite(t, "127.0.0.3", map[string]string{"/": `<a href="/x">x</a>`, "/x": "x", "/s.txt": "{site}/listed\n", "/listed": "listed"})
	other.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		if broken.Load() {
			http.Redirect(w, r, metadata, http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("Sitemap: " + other.url + "/s.txt\n"))
	})
	s := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="` + other.url + `/">other</a>`})
	cfg := guardedConfig(t, s.url+"/")
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
	want := []string{"/", "/listed", "/x"}
	if got := runCrawl(t, cfg, nil); !slices.Equal(got.paths(other.url), want) {
		t.Fatalf("%+v", got.pages)
	}
	broken.Store(true)
	for range 2 {
		got := runCrawl(t, cfg, &Options{Recrawl: true})
		for _, path := range append([]string{"/s.txt"}, want...) {
			got.wantRefused(t, other.url+path, "its robots.txt redirects to "+metadata)
		}
		if len(got.rejected) != 4 || got.Pages != 1 {
			t.Errorf("%+v; pages %+v", got.rejected, got.pages)
		}
	}
	broken.Store(false)
	got := runCrawl(t, cfg, &Options{Recrawl: true})
	if !slices.Equal(got.paths(other.url), want) || got.Sitemaps != 1 || len(got.rejected) != 0 {
		t.Errorf("well again: %+v; pages %+v", got.rejected, got.pages)
	}
}

// TestAllowedAddressesChange: pages that are no longer allowed are listed by each recrawl, and fetched when a crawl
// is resumed with their address, or that of the redirect target of their robots.txt, allowed.
func TestAllowedAddressesChange(t *testing.T) {
	inside := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	type step struct {
		opts    Options
		allow   string
		refused string // text of the rejection; empty if the page is fetched
	}
	for name, tt := range map[string]struct {
		robots http.HandlerFunc
		steps  []step
	}{
		"address": {status(http.StatusNotFound), []step{
			{Options{}, "127.0.0.2 127.0.0.3", ""},
			{Options{Recrawl: true}, "127.0.0.2", "(loopback)"},
			{Options{Recrawl: true}, "127.0.0.2", "(loopback)"},
			{Options{Resume: true}, "127.0.0.2 127.0.0.3", ""},
		}},
		"redirect of robots.txt": {redirect(inside.url + "/robots.txt"), []step{
			{Options{}, "127.0.0.2 127.0.0.3", "its robots.txt redirects to " + inside.url},
			{Options{Resume: true}, "127.0.0.2 127.0.0.3 127.0.0.1", ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			other := newSite(t, "127.0.0.3", map[string]string{"/x": "x"})
			other.handle("/robots.txt", tt.robots)
			s := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
			cfg := guardedConfig(t, s.url+"/")
			for _, step := range tt.steps {
				cfg.Fetch.AllowAddr = strings.Fields(step.allow)
				switch got := runCrawl(t, cfg, &step.opts); {
				case step.refused != "":
					got.wantRefused(t, other.url+"/x", step.refused)
				case got.Pages != 2 || len(got.rejected) != 0:
					t.Errorf("%+v: %+v, %+v", step, got.Summary, got.rejected)
				}
			}
		})
	}
}

// TestRefusedStartURLIsReported: a start URL at a blocked address is in the summary, and in a
// notice while the others are crawled.
func TestRefusedStartURLIsReported(t *testing.T) {
	inside, s := newSite(t, "127.0.0.1", map[string]string{"/": "home"}), newSite(t, "127.0.0.2", map[string]string{"/": "home"})
	cfg := guardedConfig(t, s.url+"/", inside.url+"/")
	got := runCrawl(t, cfg, nil)
	want := []BlockedStart{{URL: inside.url + "/", Addr: netip.MustParseAddr("127.0.0.1"), Reason: "address 127.0.0.1 is not allowed (loopback)"}}
	notices := []string{inside.url + "/ is skipped: address 127.0.0.1 is not allowed (loopback); see allow-addr"}
	if !slices.Equal(got.BlockedStartURLs, want) || !slices.Equal(got.notices, notices) || got.Pages != 1 || got.Rejected[output.BlockedAddress] != 1 || got.End != EndFinished {
		t.Errorf("%+v, want refused %+v; notices %q", got.Summary, want, got.notices)
	}
	inside.wantUntouched(t)

	// With the address allowed, a recrawl asks for it.
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.1")
	if got := runCrawl(t, cfg, &Options{Recrawl: true}); got.Pages != 2 || len(got.rejected) != 0 || len(got.BlockedStartURLs) != 0 {
		t.Errorf("recrawl: %+v", got.Summary)
	}
}

// TestGuardIsOff: allowed networks that include metadata services are reported in the log and in
// a notice; narrower networks are not.
func TestGuardIsOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ allow, warns string }{
		{"0.0.0.0/0", "0.0.0.0/0"}, {"::/0", "::/0"}, {"::ffff:0:0/96", "::ffff:0:0/96"}, {"128.0.0.0/1", "128.0.0.0/1"},
		{"127.0.0.0/8 0.0.0.0/0 ::/0", "0.0.0.0/0 and ::/0"},
		{"127.0.0.0/8 10.0.0.0/8 192.168.0.0/16 172.16.0.0/12 fc00::/7 fe80::/10", ""},
		{"169.254.0.0/16 169.254.169.254 fd00:ec2::254", ""},
	} {
		s, log := newSite(t, "127.0.0.1", map[string]string{"/": "home"}), &logLines{}
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.AllowAddr = strings.Fields(tt.allow)
		got := runCrawl(t, cfg, &Options{Logger: log.logger()})
		var notices []string
		if tt.warns != "" {
			notices = []string{"all addresses in " + tt.warns + " may be connected to, those of cloud metadata services too (allow-addr)"}
		}
		if !slices.Equal(got.notices, notices) {
			t.Errorf("%s: notices %q, want %q", tt.allow, got.notices, notices)
		}
		if lines := log.named(t, "allow-addr allows most addresses"); len(lines) != len(notices) {
			t.Errorf("%s: %d lines in the log, want %d", tt.allow, len(lines), len(notices))
		}
	}
}

// TestGuardAllowedLater: URLs at a blocked address are queued when their address is allowed.
// Other skipped URLs are not affected.
func TestGuardAllowedLater(t *testing.T) {
	inside := newSite(t, "127.0.0.1", map[string]string{"/a": "a", "/listed": "l"})
	s := newSite(t, "127.0.0.2", map[string]string{
		"/": `<a href="` + inside.url + `/a">a</a><a href="http://127.0.0.3:1/b">b</a>`, "/robots.txt": "Sitemap: {site}/s.txt", "/s.txt": inside.url + "/listed\n",
	})
	cfg := guardedConfig(t, s.url+"/")
	got := runCrawl(t, cfg, nil)
	for _, url := range []string{inside.url + "/a", inside.url + "/listed", "http://127.0.0.3:1/b"} {
		got.wantRefused(t, url, "(loopback)")
	}
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.1")
	got = runCrawl(t, cfg, &Options{Resume: true})
	if got.Pages != 2 || !slices.Contains(got.paths(inside.url), "/a") {
		t.Errorf("resumed: %+v", got.Summary)
	}
	if r := got.refusal(t, inside.url+"/listed"); r.Reason != output.NotAuthorized {
		t.Errorf("%+v", r)
	}
	got.wantRefused(t, "http://127.0.0.3:1/b", "(loopback)")
	cfg.Scope.Kind = ScopeHost
	got = runCrawl(t, cfg, &Options{Recrawl: true})
	got.wantRefused(t, "http://127.0.0.3:1/b", "(loopback)")
}

// TestStartAllowedLater: a blocked start URL and host name are requested when the crawl is
// resumed with their addresses allowed.
func TestStartAllowedLater(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "front"})
	name := strings.Replace(s.url, "127.0.0.1", "localhost", 1)
	cfg := guardedConfig(t, s.url+"/", name+"/", "http://127.0.0.3:1/")
	cfg.Fetch.AllowAddr = nil
	got := runCrawl(t, cfg, nil)
	if got.Pages != 0 || got.Rejected[output.BlockedAddress] != 3 || len(got.BlockedStartURLs) != 3 {
		t.Fatalf("%+v", got.Summary)
	}
	before := got.BlockedStartURLs
	if got = runCrawl(t, cfg, &Options{Resume: true}); got.Pages != 0 || got.Rejected[output.BlockedAddress] != 3 || len(s.asked()) != 0 || !sameStarts(got.BlockedStartURLs, before) {
		t.Errorf("nothing more is allowed: %+v, refused before %+v", got.Summary, before)
	}
	cfg.Fetch.AllowAddr = []string{"127.0.0.1", "::1"}
	got = runCrawl(t, cfg, &Options{Resume: true})
	if paths := got.paths(s.url); !slices.Equal(paths, []string{"/"}) || got.Pages != 2 || got.Rejected[output.BlockedAddress] != 1 || len(got.BlockedStartURLs) != 1 {
		t.Errorf("%v, %+v", paths, got.Summary)
	}
	got.wantRefused(t, "http://127.0.0.3:1/", "(loopback)")
}

// TestRefusedNameKeepsItsAddress: a resumed crawl still knows the address for which a name was
// blocked, to suggest what to allow.
func TestRefusedNameKeepsItsAddress(t *testing.T) {
	addr := netip.MustParseAddr("10.0.0.1")
	cfg := guardedConfig(t, "http://inside.example/")
	want := []BlockedStart{{URL: "http://inside.example/", Addr: addr, Reason: "address 10.0.0.1 is not allowed (private)"}}
	for _, resumed := range []bool{false, true} {
		got := runChanged(t, cfg, &Options{Resume: resumed}, resolvingTo(addr.String()))
		if !slices.Equal(got.BlockedStartURLs, want) || len(got.rejected) != 1 || got.rejected[0].Addr != addr {
			t.Errorf("resumed %t: refused %+v, want %+v; rejected %+v", resumed, got.BlockedStartURLs, want, got.rejected)
		}
	}
}

// sameStarts reports whether two lists have the same start URLs, in any order.
func sameStarts(a, b []BlockedStart) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s BlockedStart) bool { return !slices.Contains(b, s) })
}
