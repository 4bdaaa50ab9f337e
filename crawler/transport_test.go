package crawler

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"sync"
	"testing"
	"time"
)

// redirectUnless serves a page at path when it is asked for with the query, and
// redirects there when it is not.
func (s *site) redirectUnless(path, query string) {
	s.handle(path, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != query {
			http.Redirect(w, r, path+"?"+query, http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(w, "a page")
	})
}

func TestHTTP2(t *testing.T) {
	var mu sync.Mutex
	protocols := make(map[string]int)
	cfg := testConfig(t)
	server, transport := http2Site(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		protocols[r.Proto]++
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/a">a</a><a href="/b">b</a>`)
	}))
	cfg.URLs = []string{server.URL}
	got := run(t, cfg, &Options{Transport: transport})
	if got.Pages != 3 || len(protocols) != 1 || protocols["HTTP/2.0"] != 4 {
		t.Errorf("%+v, protocols %v", got.Summary, protocols)
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
	if got := run(t, cfg, nil); got.Pages != 12 {
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

// Hosts of one address share its slots.
func TestPerIP(t *testing.T) {
	var mu sync.Mutex
	busy, most := 0, 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		busy++
		most = max(most, busy)
		mu.Unlock()
		time.Sleep(5 * time.Millisecond) // the answer takes a while; nothing waits for it to be over
		mu.Lock()
		busy--
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/a">a</a>`)
	})
	var starts []string
	for range 8 {
		server := httptest.NewServer(handler) // another port, the same address
		t.Cleanup(server.Close)
		starts = append(starts, server.URL+"/")
	}
	cfg := testConfig(t, starts...)
	cfg.Politeness.PerIP = 2
	if got := run(t, cfg, nil); got.Pages != 16 || most != 2 {
		t.Errorf("%d requests at a time, want 2; %+v", most, got.Summary)
	}
}
