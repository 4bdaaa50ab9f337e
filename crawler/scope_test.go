package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"scheme and host in lower case", "HTTP://EXAMPLE.com/Path", "http://example.com/Path"},
		{"empty path", "http://example.com", "http://example.com/"},
		{"default port", "https://example.com:443/", "https://example.com/"},
		{"other port", "https://example.com:444/", "https://example.com:444/"},
		{"fragment", "http://example.com/a#b", "http://example.com/a"},
		{"user info", "http://user:secret@example.com/", "http://example.com/"},
		{"ROB-MAT-25 dot segments", "http://example.com/a/../b/./c/%2e%2e/d", "http://example.com/b/d"},
		{"ROB-MAT-28 octets that no URI holds raw, and no others", "http://example.com/it's|a%2Fb^(x)?|'", "http://example.com/it's%7Ca%2Fb%5E(x)?|%27"},
		{"ROB-LOC-08 IDN", "http://WWW.MÜLLER.eu/ü", "http://www.xn--mller-kva.eu/%C3%BC"},
		{"doubled slashes stay", "http://example.com//a//b", "http://example.com//a//b"},
		{"an empty query stays", "http://example.com/?", "http://example.com/?"},
		{"order of the query stays", "http://example.com/?b=1&a=2", "http://example.com/?b=1&a=2"},
		{"case of escapes stays", "http://example.com/%c3%A9", "http://example.com/%c3%A9"},
		{"white space around and in it", " http://exam\tple.com/a\nb ", "http://example.com/ab"},
		{"backslashes", `http:\\example.com\a`, "http://example.com/a"},
		{"IPv4 in its odd forms", "http://127.1/", "http://127.0.0.1/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical(tt.in)
			if err != nil || got != tt.want {
				t.Fatalf("Canonical(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
			if again, err := Canonical(got); err != nil || again != got {
				t.Errorf("Canonical(%q) = %q, %v: a canonical URL should stay as it is", got, again, err)
			}
		})
	}
	for _, bad := range []string{"", "/relative", "http://", "mailto:a@example.com", "javascript:void(0)", "ftp://example.com/", "http://exa mple.com/", "http://[::1"} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("Canonical(%q) = %q, want an error", bad, got)
		}
	}
}

func mustResolve(t *testing.T, raw string) weburl.URL {
	t.Helper()
	a, err := weburl.Parse(raw)
	must(t, err)
	return a
}

// URLs out of scope are not requested, also if a redirect or a sitemap has them.
func TestURLsOutOfScopeAreNotRequested(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "", "/maps/": "{site}/maps/a\n", "/maps/a": "a", "/b": "b", "/c": "c"})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: " + other.url + "/maps/\nSitemap: {site}/own.txt\n", "/own.txt": other.url + "/c\n", "/": `<a href="/to">to</a>`,
	})
	s.handle("/to", redirect(other.url+"/b"))
	for scope, want := range map[ScopeKind]map[string]output.Reason{
		ScopeHost: {"/maps/a": output.OutOfScope, "/b": output.OutOfScope, "/c": output.NotAuthorized},
		ScopeAny:  {"/c": output.NotAuthorized}, // a sitemap may not speak for others, wherever the crawl goes
	} {
		cfg := testConfig(t, s.url+"/")
		cfg.Scope.Kind = scope
		asked := other.asked()
		got := runCrawl(t, cfg, nil)
		for path, reason := range want {
			if r := got.refusal(t, other.url+path); r.Reason != reason {
				t.Errorf("scope %s: %+v, want %s", scope, r, reason)
			}
			if slices.Contains(other.asked()[len(asked):], path) {
				t.Errorf("scope %s: %s was asked for", scope, path)
			}
		}
		if len(got.rejected) != len(want) {
			t.Errorf("scope %s: rejected %+v", scope, got.rejected)
		}
	}
}

// ROB-GEN-04: the target of a redirect is checked like any URL. A chain of a page or of a sitemap ends after the
// maximum, and the URL after it is listed.
func TestROB_GEN_04_redirects(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /private\n", "/": "other", "/private": "never",
	})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map/0\nUser-agent: *\nDisallow: /private\n",
		"/": `<a href="/to-private">1</a><a href="/to-page">2</a><a href="/loop">3</a>
			<a href="/to-other">4</a><a href="/to-other-private">5</a><a href="/chain/0">6</a><a href="/nowhere">7</a>`,
		"/page": "a page", "/private": "never",
	})
	redirect := func(from, to string) {
		s.handle(from, redirect(to))
	}
	redirect("/to-private", "/private")
	redirect("/to-page", "page#x")
	redirect("/loop", "/loop")
	redirect("/to-other", other.url+"/")
	redirect("/to-other-private", other.url+"/private")
	redirect("/nowhere", "mailto:a@b")
	for _, chain := range []string{"/chain", "/map"} {
		s.mux.HandleFunc(chain+"/{n}", func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.PathValue("n"))
			http.Redirect(w, r, fmt.Sprint(chain, "/", n+1), http.StatusFound)
		})
	}
	got := runCrawl(t, testConfig(t, s.url, other.url), nil)

	for _, s := range []*site{s, other} {
		if s.count("/private") > 0 {
			t.Errorf("%s/private was requested", s.url)
		}
		if r := got.refusal(t, s.url+"/private"); r.Reason != output.Disallowed || r.Source != "redirect" {
			t.Errorf("%+v", r)
		}
	}
	if s.count("/page") != 1 || s.count("/loop") != 1 || other.count("/") != 1 {
		t.Errorf("asked %v and %v", s.asked(), other.asked())
	}
	for _, chain := range []string{"/chain", "/map"} {
		if n := len(slices.DeleteFunc(s.asked(), func(u string) bool { return !strings.HasPrefix(u, chain+"/") })); n != redirection.Max+1 {
			t.Errorf("the endless %s was followed for %d requests, want %d", chain, n, redirection.Max+1)
		}
		if r := got.refusal(t, fmt.Sprint(s.url, chain, "/", redirection.Max+1)); r.Reason != output.TooManyRedirects {
			t.Errorf("end of %s: %+v", chain, r)
		}
	}
}

// A redirect of a start URL adds its host to the scope, also for URLs found before. It does not
// change max-depth.
func TestStartRedirectJoinsTheScope(t *testing.T) {
	for depth, want := range map[int][]string{-1: {"/", "/early", "/more"}, 0: {"/"}} {
		t.Run(fmt.Sprint("max-depth ", depth), bubbled(func(t *testing.T) {
			www := newSite(t, "127.0.0.2", map[string]string{"/": `<a href="/more">more</a>`, "/more": "more", "/early": "early"})
			blog := newSite(t, "127.0.0.3", map[string]string{"/": `<a href="` + www.url + `/early">early</a>`})
			bare := newSite(t, "127.0.0.1", nil)
			bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
				waitFor(func() bool { return blog.count("/") > 0 }) // the other host was read
				http.Redirect(w, r, www.url+"/", http.StatusMovedPermanently)
			})
			cfg := testConfig(t, bare.url, blog.url)
			cfg.Scope.MaxDepth = depth
			got := runCrawl(t, cfg, nil)
			got.wantPages(t, www, want...)
			if len(got.AddedHosts) != 1 || len(got.notices) != 1 || !strings.Contains(got.notices[0], www.url) {
				t.Errorf("joined %v, notices %q", got.AddedHosts, got.notices)
			}
			if len(got.rejected) != got.Rejected[output.MaxDepth] || depth == 0 && got.refusal(t, www.url+"/early").Reason != output.MaxDepth {
				t.Errorf("rejected %+v", got.rejected)
			}
		}))
	}
}

// ROB-LOC-16: a URL with an impossible port is invalid, wherever it is found.
func TestROB_LOC_16_ImpossiblePortsAreInvalid(t *testing.T) {
	for _, port := range []string{"0", "000", "65536"} {
		t.Run(port, func(t *testing.T) {
			link, listed, target := "http://127.0.0.1:"+port+"/link", "http://127.0.0.1:"+port+"/listed", "http://127.0.0.1:"+port+"/target"
			s := newSite(t, "127.0.0.1", map[string]string{
				"/robots.txt": "Sitemap: {site}/map.xml\nSitemap: http://127.0.0.1:" + port + "/map.xml\n",
				"/map.xml":    "<urlset><url><loc>" + listed + "</loc></url></urlset>",
				"/":           `<a href="` + link + `">1</a><a href="/moved">2</a>`,
			})
			s.handle("/moved", page(302, "", "Location", target))
			cfg := testConfig(t, s.url)
			cfg.Scope.Kind = ScopeAny
			got := runCrawl(t, cfg, nil)
			got.wantPages(t, s, "/", "/moved")
			if r := got.refusal(t, link); r.Reason != output.InvalidURL || !strings.Contains(r.Detail, "port") {
				t.Errorf("link: %+v", r)
			}
			for _, r := range got.rejected {
				if r.Reason != output.InvalidURL {
					t.Errorf("rejected as %s: %+v", r.Reason, r)
				}
			}
			if err := testConfig(t, "http://127.0.0.1:"+port+"/").Validate(); !errors.Is(err, ErrConfig) {
				t.Errorf("start URL: %v", err)
			}
		})
	}
}

// The sitemaps of a host are read when it joins the scope after its robots.txt was fetched.
func TestJoinBringsSitemaps(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{
		"/robots.txt": "Sitemap: {site}/own.txt\n", "/own.txt": "{site}/listed\n", "/listed": "listed", "/": "www", "/shared.txt": "",
	})
	read := make(chan struct{})
	www.handle("/map.txt", func(http.ResponseWriter, *http.Request) { close(read) })
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "Sitemap: " + www.url + "/map.txt\n", "/": "start"})
	bare := newSite(t, "127.0.0.3", nil)
	bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
		<-read // www's robots.txt is known
		http.Redirect(w, r, www.url+"/", http.StatusFound)
	})
	got := runCrawl(t, testConfig(t, s.url+"/", bare.url+"/"), nil)
	got.wantPages(t, www, "/", "/listed")
}

// A skipped URL has the smallest depth of all links to it.
func TestSkippedURLKeepsTheLeastDepth(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		www := newSite(t, "127.0.0.2", map[string]string{"/": "www", "/x": "x"})
		s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/1">1</a>`, "/1": `<a href="` + www.url + `/x">far</a>`})
		bare := newSite(t, "127.0.0.3", map[string]string{"/near": `<a href="` + www.url + `/x">near</a>`})
		bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
			waitFor(func() bool { return s.count("/1") > 0 && bare.count("/near") > 0 }) // both ways were found
			time.Sleep(50 * time.Millisecond)
			http.Redirect(w, r, www.url+"/", http.StatusFound)
		})
		cfg := testConfig(t, s.url+"/", bare.url+"/near", bare.url+"/")
		cfg.Scope.MaxDepth, cfg.Politeness.PerHost = 1, 2
		if got := runCrawl(t, cfg, nil); !slices.Contains(got.paths(www.url), "/x") {
			t.Errorf("pages %v, rejected %+v", got.paths(www.url), got.rejected)
		}
	})
}
