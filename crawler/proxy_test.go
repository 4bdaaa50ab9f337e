package crawler

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// What a proxy answers for itself is told as that, of pages, sitemaps and robots.txt, and
// tells nothing of the site.
func TestProxyAsks(t *testing.T) {
	const asks = "the proxy asks for a user and password, or refuses those it got (407)"
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
			got := run(t, cfg, nil)
			robots := readOutput[output.Robots](t, cfg, "robots.jsonl")
			if tt.robots != "" {
				if r := robots[0]; r.Outcome != robotsext.Unreachable.String() || r.Status != 0 || r.Error != tt.robots {
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

// Without a proxy 407 is a status of the site like any other.
func TestSiteAnswersForProxy(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) })
	got := run(t, testConfig(t, s.url+"/page"), nil)
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

// The proxies of the environment that are used are told of, without their users, and those
// that are not used are not.
func TestProxiesOfTheEnvironmentAreTold(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	s := newSite(t, "127.0.0.1", nil)
	for _, tt := range []struct {
		name, value, no, start string
		proxy                  []string
		told                   string // empty: nothing is
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
			c, err := New(cfg, &Options{Notice: func(line string) { told = append(told, line) }})
			if err != nil {
				t.Fatal(err)
			}
			c.warnOfNetwork()
			if text := strings.Join(told, "\n"); strings.Contains(text, "hunter2") || !strings.Contains(text, tt.told) || (tt.told == "") != (text == "") {
				t.Errorf("told %q, want %q", text, tt.told)
			}
		})
	}
}
