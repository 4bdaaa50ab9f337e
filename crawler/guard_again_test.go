package crawler

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// TestRecrawlOfRefused: what was refused when its turn had come, for where the robots.txt
// of its host redirects to or for the address of its host's name, is judged again by each
// recrawl: listed again, once, as long as it is refused, and fetched when it is not.
func TestRecrawlOfRefused(t *testing.T) {
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
				s.handle("/m", http.RedirectHandler(tt.url, http.StatusFound).ServeHTTP)
			}
			cfg := guardedConfig(t, s.url+"/")
			cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
			at := func(addr string) func(*Crawler) {
				return func(c *Crawler) { c.network.resolver = guardtest.Resolver(netip.MustParseAddr(addr)) }
			}
			path := tt.url[strings.LastIndex(tt.url, "/"):]
			for round := range 3 {
				got := runChanged(t, cfg, &Options{Recrawl: round > 0}, at("127.0.0.1"))
				got.wantRefused(t, tt.url, tt.why)
				if len(got.rejected) != 1 || got.Rejected[output.Address] != 1 {
					t.Errorf("round %d: %+v", round, got.rejected)
				}
				if n := s.count("/"); n != round+1 {
					t.Errorf("round %d: the page was asked for %d times", round, n)
				}
			}
			before := other.count(path)
			repaired.Store(true)
			got := runChanged(t, cfg, &Options{Recrawl: true}, at("127.0.0.3"))
			if n := other.count(path) - before; n != 1 || got.Rejected[output.Address] != 0 {
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

// TestRecrawlOfRefusedHost: a host whose robots.txt begins to redirect inside loses none
// of what is known of it, from links or from its sitemap.
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
	if got := run(t, cfg, nil); !slices.Equal(got.paths(other.url), want) {
		t.Fatalf("%+v", got.pages)
	}
	broken.Store(true)
	for range 2 {
		got := run(t, cfg, &Options{Recrawl: true})
		for _, path := range append([]string{"/s.txt"}, want...) {
			got.wantRefused(t, other.url+path, "its robots.txt redirects to "+metadata)
		}
		if len(got.rejected) != 4 || got.Pages != 1 {
			t.Errorf("%+v; pages %+v", got.rejected, got.pages)
		}
	}
	broken.Store(false)
	got := run(t, cfg, &Options{Recrawl: true})
	if !slices.Equal(got.paths(other.url), want) || got.Sitemaps != 1 || len(got.rejected) != 0 {
		t.Errorf("well again: %+v; pages %+v", got.rejected, got.pages)
	}
}

// TestRecrawlWithLessAllowed: what was fetched, and is refused since less is allowed, is
// listed by each recrawl, and comes back when a crawl goes on with it allowed again.
func TestRecrawlWithLessAllowed(t *testing.T) {
	other := newSite(t, "127.0.0.3", map[string]string{"/x": "x"})
	s := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
	less := guardedConfig(t, s.url+"/")
	more := less
	more.Fetch.AllowAddr = append(slices.Clone(less.Fetch.AllowAddr), "127.0.0.3")
	if got := run(t, more, nil); got.Pages != 2 {
		t.Fatalf("%+v", got.Summary)
	}
	for range 2 {
		got := run(t, less, &Options{Recrawl: true})
		got.wantRefused(t, other.url+"/x", "(loopback)")
	}
	if got := run(t, more, &Options{Resume: true}); got.Pages != 2 || len(got.rejected) != 0 {
		t.Errorf("resumed: %+v, %+v", got.Summary, got.rejected)
	}
}

// TestRedirectOfRobotsAllowedLater: where a robots.txt leads to is allowed when the crawl
// goes on, and the URLs of its host are asked for.
func TestRedirectOfRobotsAllowedLater(t *testing.T) {
	inside := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	other := newSite(t, "127.0.0.3", map[string]string{"/x": "x"})
	other.handle("/robots.txt", http.RedirectHandler(inside.url+"/robots.txt", http.StatusFound).ServeHTTP)
	s := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="` + other.url + `/x">x</a>`})
	cfg := guardedConfig(t, s.url+"/")
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
	run(t, cfg, nil).wantRefused(t, other.url+"/x", "its robots.txt redirects to "+inside.url)
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.1")
	if got := run(t, cfg, &Options{Resume: true}); got.Pages != 2 || len(got.rejected) != 0 {
		t.Errorf("%+v, %+v", got.Summary, got.rejected)
	}
}
