package crawler

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A proxy's own error is reported as such for pages, sitemaps and robots.txt, and is not a result
// of the site.
func TestProxyRequiresAuthentication(t *testing.T) {
	t.Parallel()
	const asks = "the proxy requires a user and password, or rejected those it got (407)"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodConnect && strings.HasPrefix(r.Host, "busy."):
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodConnect, r.Host == "closed.test", r.URL.Path == "/page", r.URL.Path == "/sitemap":
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.URL.Path == "/robots.txt":
			_, _ = w.Write([]byte("Sitemap: http://open.test/sitemap\n"))
		}
	}))
	t.Cleanup(proxy.Close)
	for _, tt := range []struct{ start, robots, page, sitemap string }{
		{"http://open.test/page", "", asks, asks},
		{"http://closed.test/", asks, "", ""},
		{"https://closed.test/", asks, "", ""},
		{"https://busy.test/", "the proxy: 503 Service Unavailable", "", ""},
	} {
		t.Run(tt.start, func(t *testing.T) {
			cfg := testConfig(t, tt.start)
			cfg.Fetch.Proxies = []string{proxy.URL}
			got := runCrawl(t, cfg, nil)
			robots := readOutput[output.Robots](t, cfg, "robots.jsonl")
			if tt.robots != "" {
				if r := robots[0]; r.Outcome != robotsext.OutcomeUnreachable.String() || r.Status != 0 || r.Error != tt.robots {
					t.Errorf("robots.txt: %+v", r)
				}
				return
			}
			if r := got.refusal(t, tt.start); r.Reason != output.Failed || r.Detail != tt.page || len(got.pages) > 0 {
				t.Errorf("page: %+v, %+v", r, got.pages)
			}
			if s := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl"); len(s) != 1 || s[0].Status != 0 || s[0].Detail != tt.sitemap {
				t.Errorf("sitemap: %+v", s)
			}
		})
	}
}

// Without a proxy, 407 is an ordinary status of the site.
func TestSiteAnswersForProxy(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.mux.HandleFunc("/page", status(http.StatusProxyAuthRequired))
	got := runCrawl(t, testConfig(t, s.url+"/page"), nil)
	if !slices.Equal(got.paths(s.url), []string{"/page"}) || got.pages[0].Status != http.StatusProxyAuthRequired {
		t.Errorf("%+v, rejected %+v", got.pages, got.rejected)
	}
}

func TestBadProxies(t *testing.T) {
	for _, raw := range []string{
		"", "proxy:3128", "ftp://proxy", "http://", "http://user:secret@/", "http://a b", "http://h:0", "http://h:99999",
		"http://h:1?key=secret", "http://h:1/#secret", "http://h:1%zz?secret", "http://***@h:1?secret",
	} {
		cfg := testConfig(t, "http://127.0.0.1/")
		cfg.Fetch.Proxies = []string{raw}
		err := cfg.Validate()
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "proxy") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// A proxy with a masked user is refused.
func TestProxyWithoutItsUser(t *testing.T) {
	cfg := testConfig(t, "http://a.test/")
	cfg.Fetch.Proxies = []string{"http://***@h:3128"}
	if err := cfg.Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "not kept with a crawl") {
		t.Error(err)
	}
}

// Proxies of the environment are reported if they are used, without users.
func TestProxiesOfTheEnvironmentAreReported(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	s := newSite(t, "127.0.0.1", nil)
	for _, tt := range []struct {
		name, value, no, start string
		proxy                  []string
		told                   string // empty if nothing is
	}{
		{"HTTP_PROXY", "http://me:hunter2@127.0.0.72:9", "", "http://a.test/", nil, "HTTP_PROXY (http://127.0.0.72:9)"},
		{"https_proxy", "127.0.0.72:9", "", "http://a.test/", nil, "https_proxy (http://127.0.0.72:9)"},
		{"HTTP_PROXY", "http://127.0.0.72:9", "a.test", "http://a.test/", nil, ""},
		{"HTTP_PROXY", "http://127.0.0.72:9", "", s.url + "/", nil, ""},
		{"HTTP_PROXY", "http://127.0.0.72:9", "", "http://a.test/", []string{s.url}, ""},
	} {
		t.Run(tt.name+" "+tt.start+tt.no, func(t *testing.T) {
			t.Setenv(tt.name, tt.value)
			t.Setenv("NO_PROXY", tt.no)
			cfg := testConfig(t, tt.start)
			cfg.Fetch.Proxies = tt.proxy
			var told []string
			c := newCrawler(t, cfg, &Options{OnNotice: func(line string) { told = append(told, line) }})
			c.warnOfNetwork()
			if text := strings.Join(told, "\n"); strings.Contains(text, "hunter2") || !strings.Contains(text, tt.told) || (tt.told == "") != (text == "") {
				t.Errorf("told %q, want %q", text, tt.told)
			}
		})
	}
}

// All requests to a host, robots.txt included, go through its proxy.
func TestProxies(t *testing.T) {
	sites := []*site{}
	var starts []string
	for i := range 6 {
		s := newSite(t, fmt.Sprintf("127.0.0.%d", i+1), map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
		sites, starts = append(sites, s), append(starts, s.url+"/")
	}
	var mu sync.Mutex
	seen := make(map[string][]int) // by host: requests through each proxy
	var urls []string
	for i := range 2 {
		proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			mu.Lock()
			defer mu.Unlock()
			if seen[r.In.Host] == nil {
				seen[r.In.Host] = make([]int, 2)
			}
			seen[r.In.Host][i]++
		}})
		t.Cleanup(proxy.Close)
		urls = append(urls, proxy.URL)
	}
	cfg := testConfig(t, starts...)
	cfg.Fetch.Proxies = urls
	if got := runCrawl(t, cfg, nil); got.Pages != 12 {
		t.Errorf("%+v", got.Summary)
	}
	for host, n := range seen {
		if !slices.Contains(n, 3) || !slices.Contains(n, 0) {
			t.Errorf("%s was asked through the proxies %v times, want 3 times through one", host, n)
		}
	}
	if len(seen) != len(sites) {
		t.Errorf("the proxies saw %d hosts, want %d", len(seen), len(sites))
	}
}

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

// An invalid proxy in the environment is an error that does not show its password.
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
