package crawler

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// guardedConfig returns the configuration of a crawl that may connect to 127.0.0.2 only. It would
// take long if it waited for blocked addresses.
func guardedConfig(t *testing.T, urls ...string) Config {
	t.Helper()
	cfg := testConfig(t, urls...)
	cfg.Fetch.AllowAddr, cfg.Scope.Kind = []string{"127.0.0.2"}, ScopeAny
	cfg.Fetch.Retries, cfg.Robots.Retry = 3, time.Minute
	return cfg
}

// resolvingTo has a crawl resolve each name to the next of some addresses, the last one again and again.
func resolvingTo(addrs ...string) func(*Crawler) {
	var parsed []netip.Addr
	for _, addr := range addrs {
		parsed = append(parsed, netip.MustParseAddr(addr))
	}
	return func(c *Crawler) { c.settings.Visit.Requests.Resolver = guardtest.Resolver(parsed...) }
}

// wantRefused checks that a URL is listed with a blocked address.
func (c *crawl) wantRefused(t *testing.T, url, detail string) {
	t.Helper()
	if r := c.refusal(t, url); r.Reason != output.BlockedAddress || !strings.Contains(r.Detail, detail) {
		t.Errorf("%s: %+v, want reason %s and %q", url, r, output.BlockedAddress, detail)
	}
}

// wantUntouched checks that a server got no request.
func (s *site) wantUntouched(t *testing.T) {
	t.Helper()
	if got := s.requests(); len(got) > 0 {
		t.Errorf("%s was asked %d times, first for %s", s.url, len(got), got[0].uri)
	}
}

const metadata = "http://169.254.169.254/latest/meta-data/"

// TestGuard: URLs at blocked addresses are not requested, and are listed with the reason at once.
func TestGuard(t *testing.T) {
	t.Parallel()
	inside := newSite(t, "127.0.0.1", map[string]string{"/": "secret", "/a": "secret", "/s.xml": "http://x/"})
	at := func(path string) string { return inside.url + path }
	tests := map[string]struct {
		pages   map[string]string
		moved   map[string]string // path → Location
		refused []string
		rest    map[output.Reason]int // of rejected.jsonl, beside
		scope   ScopeKind             // any if empty
	}{
		"link": {
			pages:   map[string]string{"/": `<a href="` + metadata + `">m</a><a href="` + at("/a") + `">a</a><a href="http://2130706433/x">odd</a>`},
			refused: []string{metadata, at("/a"), "http://127.0.0.1/x"},
		},
		"link to a name": {
			pages:   map[string]string{"/": `<a href="http://inside.example/a">a</a>`},
			refused: []string{"http://inside.example/a"},
		},
		"redirect": {
			pages:   map[string]string{"/": `<a href="/m">m</a><a href="/i">i</a><a href="/n">n</a>`},
			moved:   map[string]string{"/m": metadata, "/i": at("/a"), "/n": "http://inside.example/a"},
			refused: []string{metadata, at("/a"), "http://inside.example/a"},
		},
		"sitemap entry": {
			pages:   map[string]string{"/robots.txt": "Sitemap: {site}/s.txt", "/s.txt": metadata + "\n" + at("/a") + "\n", "/": "home"},
			refused: []string{metadata, at("/a")},
		},
		"sitemap": {
			pages:   map[string]string{"/robots.txt": "Sitemap: " + metadata + "\nSitemap: " + at("/s.xml") + "\nSitemap: http://inside.example/s.xml", "/": "home"},
			refused: []string{metadata, at("/s.xml"), "http://inside.example/s.xml"},
		},
		"redirect of a sitemap": {
			pages:   map[string]string{"/robots.txt": "Sitemap: {site}/s.xml", "/": "home"},
			moved:   map[string]string{"/s.xml": at("/s.xml")},
			refused: []string{at("/s.xml")},
		},
		"sitemap of an index": {
			pages: map[string]string{"/robots.txt": "Sitemap: {site}/s.xml", "/": "home",
				"/s.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + at("/s.xml") + `</loc></sitemap><sitemap><loc>` + metadata + `</loc></sitemap>` +
					`<sitemap><loc>http://inside.example/s.xml</loc></sitemap></sitemapindex>`},
			refused: []string{metadata, at("/s.xml")},
			rest:    map[output.Reason]int{output.NotAuthorized: 1},
		},
		"nofollow": {
			pages: map[string]string{"/": `<a rel="nofollow" href="` + metadata + `">m</a>`},
			rest:  map[output.Reason]int{output.Nofollow: 1},
		},
		"out of scope": { // the crawl misses no page there, and a report without it is complete
			pages: map[string]string{"/": `<a href="http://10.1.2.3/a">a</a><a href="http://localhost:8000/">l</a><a href="/m">m</a>`},
			moved: map[string]string{"/m": "http://10.1.2.3/m"},
			rest:  map[output.Reason]int{output.OutOfScope: 3},
			scope: ScopeHost,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, "127.0.0.2", tt.pages)
			for path, to := range tt.moved {
				s.handle(path, redirect(to))
			}
			began := time.Now()
			cfg := guardedConfig(t, s.url+"/")
			cfg.Scope.Kind = cmp.Or(tt.scope, ScopeAny)
			got := runChanged(t, cfg, nil, resolvingTo("127.0.0.1"))
			for _, r := range got.rejected {
				if r.Reason == output.OutOfScope && r.Detail != "" {
					t.Errorf("%+v", r)
				}
			}
			for _, url := range tt.refused {
				got.wantRefused(t, url, "is not allowed (")
			}
			for _, m := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
				if m.Status == 0 && (m.Detail == "" || m.Detail != got.refusal(t, m.URL).Detail) {
					t.Errorf("sitemaps.jsonl: %+v", m)
				}
			}
			if robots := readOutput[robotsext.Record](t, cfg, "robots.jsonl"); len(robots) != 1 || got.Robots != 1 {
				t.Errorf("%d files of robots were asked for, not that of the site alone: %+v", got.Robots, robots)
			}
			want := len(tt.refused)
			for reason, n := range tt.rest {
				if want += n; got.Rejected[reason] != n {
					t.Errorf("%d were skipped for %s, want %d", got.Rejected[reason], reason, n)
				}
			}
			if got.End != EndFinished || got.Remaining != 0 || len(got.rejected) != want || len(got.Waiting) > 0 || len(got.BlockedStartURLs) > 0 {
				t.Errorf("%+v; rejected %+v", got.Summary, got.rejected)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if s.count("/") != 1 {
				t.Errorf("the site was asked for %q", s.asked())
			}
		})
	}
	inside.wantUntouched(t)
}

// TestGuardOfRobotsRedirect: if a robots.txt redirects to a blocked address, the URLs of its host
// do not wait. They are listed with the target.
func TestGuardOfRobotsRedirect(t *testing.T) {
	inside := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": ""})
	for _, target := range []string{"http://169.254.169.254/robots.txt", inside.url + "/robots.txt", "http://inside.example/robots.txt"} {
		s := newSite(t, "127.0.0.2", map[string]string{"/": "home"})
		s.handle("/robots.txt", redirect(target))
		cfg := guardedConfig(t, s.url+"/", s.url+"/more")
		got := runChanged(t, cfg, nil, resolvingTo("127.0.0.1"))
		for _, path := range []string{"/", "/more"} {
			got.wantRefused(t, s.url+path, "its robots.txt redirects to "+target+": address 1")
			if r := got.refusal(t, s.url+path); r.RobotsURL != s.url+"/robots.txt" {
				t.Errorf("%+v", r)
			}
		}
		robots := readOutput[map[string]any](t, cfg, "robots.jsonl")
		if got.Robots != 1 || len(robots) != 1 {
			t.Fatalf("%d files of robots, %v", got.Robots, robots)
		}
		if robots[0]["retry_at"] != nil || robots[0]["failing_since"] != nil || robots[0]["failures"] != nil ||
			!strings.HasPrefix(robots[0]["error"].(string), "address 1") {
			t.Errorf("robots.jsonl: %v", robots[0])
		}
		if got.End != EndFinished || len(got.BlockedStartURLs) != 2 || got.BlockedStartURLs[0].Addr.IsValid() || len(s.asked()) != 0 || s.count("/robots.txt") != 1 {
			t.Errorf("%+v; the site was asked for %v", got.Summary, s.requests())
		}
	}
	inside.wantUntouched(t)
}

// TestGuardOfRareSpelling: a robots.txt redirects to an address in an unusual spelling, with and
// without a proxy. The reason is reported once.
func TestGuardOfRareSpelling(t *testing.T) {
	const target = "http://0xa9fea9fe/"
	s := newSite(t, "127.0.0.2", map[string]string{"/": "home"})
	s.handle("/robots.txt", redirect(target))
	to, err := url.Parse(s.url)
	must(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Host = to.Host }})
	t.Cleanup(proxy.Close)
	direct, proxied := guardedConfig(t, s.url+"/"), guardedConfig(t, "http://site.example/")
	proxied.Fetch.Proxies = []string{proxy.URL}
	for _, cfg := range []Config{direct, proxied} {
		got := runCrawl(t, cfg, nil)
		want := "its robots.txt redirects to " + target + `: host "0xa9fea9fe" is neither a valid name nor a valid IP address`
		if r := got.refusal(t, cfg.URLs[0]); r.Reason != output.BlockedAddress || r.Detail != want || got.End != EndFinished {
			t.Errorf("%+v, %+v, want %q", got.Summary, r, want)
		}
	}
}

// TestSitemapsOfOtherHostsAreLimited: the sitemaps of other hosts that an index lists count for
// the limit of the host. A recrawl requests none of them.
func TestSitemapsOfOtherHostsAreLimited(t *testing.T) {
	var index strings.Builder
	index.WriteString(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range 5 {
		fmt.Fprintf(&index, "<sitemap><loc>http://127.0.0.1/%d.xml</loc></sitemap>", i)
	}
	index.WriteString("</sitemapindex>")
	s := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "Sitemap: {site}/s.xml", "/s.xml": index.String(), "/": "home"})
	cfg := guardedConfig(t, s.url+"/")
	cfg.Sitemaps.MaxFiles = 3
	if got := runCrawl(t, cfg, nil); got.Rejected[output.BlockedAddress] != 3 || got.Sitemaps != 1 {
		t.Errorf("%+v", got.Summary)
	}
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.1")
	got := runCrawl(t, cfg, &Options{Recrawl: true})
	if files := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl"); len(files) != 1 || files[0].URL != s.url+"/s.xml" {
		t.Errorf("%+v; sitemaps.jsonl: %+v", got.Summary, files)
	}
}

// serveAt starts a server on a port of a loopback address, which closes its connections.
func serveAt(t *testing.T, addr string, s *site) (port string) {
	t.Helper()
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		t.Fatalf("this test needs the loopback address %s: %v", addr, err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		s.serve(w, r)
	}))
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	_, port, err = net.SplitHostPort(l.Addr().String())
	must(t, err)
	return port
}

// TestGuardAgainstRebinding: a name has an allowed address for robots.txt, and a blocked one for
// the page.
func TestGuardAgainstRebinding(t *testing.T) {
	pages := map[string]string{"/robots.txt": "", "/": "page"}
	inside, outside := &site{mux: http.NewServeMux()}, &site{mux: http.NewServeMux()}
	for path, body := range pages {
		inside.page(path, body)
		outside.page(path, body)
	}
	port := serveAt(t, "127.0.0.1:0", inside)
	serveAt(t, "127.0.0.2:"+port, outside)
	start := "http://rebind.example:" + port + "/"
	got := runChanged(t, guardedConfig(t, start), nil, resolvingTo("127.0.0.2", "127.0.0.1"))
	got.wantRefused(t, start, "address 127.0.0.1 is not allowed (loopback)")
	if seen := outside.requests(); len(seen) != 1 || seen[0].uri != "/robots.txt" {
		t.Errorf("outside saw %v, want robots.txt alone", seen)
	}
	inside.wantUntouched(t)
}

// TestGuardIsPrompt: the URLs of a host at a blocked address do not wait for a request slot or
// for robots.txt.
func TestGuardIsPrompt(t *testing.T) {
	var links strings.Builder
	for i := range 300 {
		fmt.Fprintf(&links, `<a href="http://inside.example/%d">x</a>`, i)
	}
	s := newSite(t, "127.0.0.2", map[string]string{"/": links.String()})
	cfg := guardedConfig(t, s.url+"/")
	cfg.Politeness.Delay = 500 * time.Millisecond
	began := time.Now()
	got := runChanged(t, cfg, nil, resolvingTo("10.0.0.1"))
	if got.Rejected[output.BlockedAddress] != 300 || got.End != EndFinished || got.Robots != 1 {
		t.Errorf("%+v", got.Summary)
	}
	if took := time.Since(began); took > time.Minute { // by turns it would be 150 s
		t.Errorf("it took %v", took)
	}
}

// TestGuardAndProxies: a proxy may have any address. Blocked addresses are not sent to it, and it
// is not a page itself.
func TestGuardAndProxies(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	backend := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "", "/": `<a href="` + metadata + `">m</a><a href="http://127.0.0.1/">l</a>`})
	to, err := url.Parse(backend.url)
	must(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.In.Host+r.In.URL.Path)
		r.Out.URL.Host = to.Host
	}})
	t.Cleanup(proxy.Close)
	backend.page("/p", `<a href="`+proxy.URL+`/">p</a>`)
	cfg := guardedConfig(t, "http://site.example/", "http://site.example/p", "http://169.254.169.254/start")
	cfg.Fetch.AllowAddr, cfg.Fetch.Proxies = nil, []string{proxy.URL}
	got := runCrawl(t, cfg, nil)
	for _, url := range []string{metadata, "http://127.0.0.1/", proxy.URL + "/", "http://169.254.169.254/start"} {
		got.wantRefused(t, url, "is not allowed (")
	}
	slices.Sort(seen)
	if want := []string{"site.example/", "site.example/p", "site.example/robots.txt"}; !slices.Equal(seen, want) || got.Pages != 2 {
		t.Errorf("the proxy saw %q, want %q; %+v", seen, want, got.Summary)
	}
}

// TestGuardIsNotForTransports: the guard does not apply to the caller's transport.
func TestGuardIsNotForTransports(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	cfg := testConfig(t, s.url+"/")
	cfg.Fetch.AllowAddr = nil
	if got := runCrawl(t, cfg, &Options{Transport: &http.Transport{DisableKeepAlives: true}}); got.Pages != 2 {
		t.Errorf("%+v", got.Summary)
	}
}

// TestPlanOfGuarded: a plan reports blocked addresses like the crawl.
func TestPlanOfGuarded(t *testing.T) {
	inside := newSite(t, "127.0.0.1", map[string]string{"/": "home"})
	s := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "Sitemap: {site}/s.txt\nSitemap: " + inside.url + "/s.xml", "/s.txt": "{site}/a\n" + metadata + "\n"})
	p, err := NewPlanner(guardedConfig(t, s.url+"/", inside.url+"/"), nil)
	must(t, err)
	plan, err := p.Run(t.Context())
	must(t, err)
	if plan.End != EndFinished || plan.Pages != 2 || plan.Rejected[output.BlockedAddress] != 2 || len(plan.Rejected) != 1 || len(plan.BlockedStartURLs) != 1 || plan.BlockedStartURLs[0].URL != inside.url+"/" {
		t.Errorf("%+v", plan)
	}
	requests := plan.Requests - plan.Pages // for robots.txt and sitemaps
	if saw := len(s.requests()); plan.Robots != 1 || requests != saw {
		t.Errorf("%d of a robots.txt and %d requests are counted, the site saw %d", plan.Robots, requests, saw)
	}
	inside.wantUntouched(t)
}

// TestGuardOfLinkHeaders: Link and Refresh headers are not followed; a canonical URL in them is
// recorded. Link elements of a series are links, and are blocked like others.
func TestGuardOfLinkHeaders(t *testing.T) {
	inside, allowed := newSite(t, "127.0.0.1", nil), newSite(t, "127.0.0.3", nil)
	targets := []string{metadata, inside.url + "/", allowed.url + "/"}
	relations := []string{"canonical", "next", "prev", "alternate", "preload", "preconnect", "dns-prefetch", "describedby", "https://api.w.org/"}
	s := newSite(t, "127.0.0.2", nil)
	link := func(w http.ResponseWriter, path string) {
		for _, target := range targets {
			for _, rel := range relations {
				w.Header().Add("Link", fmt.Sprintf("<%s%s>; rel=%q", target, path, rel))
			}
		}
		w.Header().Set("Refresh", "0; url="+metadata+"refresh")
	}
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		link(w, "header")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<link rel=next href="`+metadata+`next"><link rel=prev href="`+inside.url+`/prev"><a href="/more">more</a>`)
		for _, target := range targets {
			for _, rel := range relations[3:] {
				_, _ = fmt.Fprintf(w, `<link rel="%s" href="%selement">`, rel, target)
			}
			_, _ = fmt.Fprintf(w, `<link rel="canonical" href="%selement">`, target)
		}
	})
	for path, status := range map[string]int{"/robots.txt": 200, "/more": 404} {
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			link(w, "header")
			w.WriteHeader(status)
		})
	}
	cfg := guardedConfig(t, s.url+"/")
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
	got := runCrawl(t, cfg, nil)
	got.wantRefused(t, metadata+"next", "(cloud metadata)")
	got.wantRefused(t, inside.url+"/prev", "(loopback)")
	got.wantRefused(t, metadata+"refresh", "(cloud metadata)")
	if len(got.rejected) != 3 || got.Rejected[output.BlockedAddress] != 3 || got.Pages != 2 || got.Robots != 1 {
		t.Errorf("%+v; rejected %+v", got.Summary, got.rejected)
	}
	for _, p := range got.pages {
		if p.URL == s.url+"/" && p.Canonical != metadata+"header" {
			t.Errorf("canonical %q", p.Canonical)
		}
	}
	inside.wantUntouched(t)
	allowed.wantUntouched(t)
}
