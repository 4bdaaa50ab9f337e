package crawler

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// http2Site starts a server of HTTP/2, and returns it with a transport that trusts it.
func http2Site(t *testing.T, cfg *Config, handler http.Handler) (*httptest.Server, *http.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, trusting(t, cfg, server)
}

// trusting returns a transport that trusts a server of TLS.
func trusting(t *testing.T, cfg *Config, server *httptest.Server) *http.Transport {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: cfg.Politeness.PerHost, ResponseHeaderTimeout: cfg.Fetch.FirstByteTimeout,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// An answer that is not read to its end costs no other URL of the host anything.
func TestUnreadAnswerIsNoHarm(t *testing.T) {
	const slow = 3
	for _, left := range []string{"/large", "/sitemap.xml"} {
		t.Run(left[1:], func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Politeness.PerHost, cfg.Limits.Workers, cfg.Fetch.MaxBody = slow+1, slow+1, 1<<20
			var mu sync.Mutex
			asked := make(map[string]int)
			var waiting sync.WaitGroup // for the slow ones to be asked for
			waiting.Add(slow)
			given := make(chan struct{}) // closed when the client has left the answer
			server, transport := http2Site(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path]++
				first := asked[r.URL.Path] == 1
				mu.Unlock()
				w.Header().Set("Content-Type", "text/html")
				switch {
				case r.URL.Path == "/robots.txt":
					if left == "/sitemap.xml" {
						_, _ = fmt.Fprintf(w, "Sitemap: https://%s%s\n", r.Host, left)
					}
				case r.URL.Path == "/":
					for i := range slow {
						_, _ = fmt.Fprintf(w, `<a href="/slow/%d">slow</a>`, i)
					}
					if left == "/large" {
						_, _ = fmt.Fprintf(w, `<a href="%s">large</a>`, left)
					}
				case r.URL.Path == left && first:
					waiting.Wait()
					if left == "/sitemap.xml" {
						w.WriteHeader(http.StatusNotFound)
					}
					for r.Context().Err() == nil {
						_, _ = io.WriteString(w, strings.Repeat("x", 1<<10))
					}
					close(given)
				case first:
					waiting.Done()
					<-given
					select {
					case <-r.Context().Done(): // its connection was closed
					case <-time.After(100 * time.Millisecond): // it was not, for this long
					}
				}
			}))
			cfg.URLs = []string{server.URL}
			got := run(t, cfg, &Options{Transport: transport})
			mu.Lock()
			defer mu.Unlock()
			for path, n := range asked {
				if n != 1 {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
			for i := range slow {
				if path := fmt.Sprint("/slow/", i); asked[path] != 1 || !strings.Contains(fmt.Sprint(got.paths(server.URL)), path) {
					t.Errorf("%s: asked for %d times, pages %v", path, asked[path], got.paths(server.URL))
				}
			}
			for _, r := range got.rejected {
				t.Errorf("%s: %s: %s", r.URL, r.Reason, r.Detail)
			}
		})
	}
}
