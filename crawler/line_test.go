package crawler

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"syscall"
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
	transport := newTransport(cfg)
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// testWire returns a wire over a base.
func testWire(t *testing.T, base http.RoundTripper) *wire {
	return &wire{base: base, working: t.Context(), pause: func(context.Context, *url.URL) {}}
}

// A connection of HTTP/2 on which an answer was left is closed, when the last of the others
// on it is done, and no sooner.
func TestLineOfMany(t *testing.T) {
	cfg := testConfig(t, "https://127.0.0.1/")
	var mu sync.Mutex
	from := make(map[string]string) // by path: the address that asked for it
	release := make(chan struct{})
	server, transport := http2Site(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from[r.URL.Path] = r.RemoteAddr
		mu.Unlock()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		if strings.HasPrefix(r.URL.Path, "/slow") {
			<-release
		}
		for r.URL.Path == "/left" && r.Context().Err() == nil { // the client breaks it off
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<10))
		}
		_, _ = io.WriteString(w, "whole")
	}))
	w := testWire(t, transport)
	get := func(path string) io.ReadCloser {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp.Body
	}
	read := func(path string, body io.ReadCloser) {
		t.Helper()
		if text, err := io.ReadAll(body); err != nil || string(text) != "whole" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		if err := body.Close(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	first, left := get("/slow/1"), get("/left")
	if err := left.Close(); err != nil {
		t.Error(err)
	}
	second := get("/slow/2") // net/http has no other connection for it
	close(release)
	read("/slow/1", first)
	read("/between", get("/between"))
	read("/slow/2", second)
	read("/after", get("/after"))
	mu.Lock()
	defer mu.Unlock()
	for _, path := range []string{"/left", "/slow/2", "/between"} {
		if from[path] != from["/slow/1"] {
			t.Errorf("%s did not go over the connection of the first: %v", path, from)
		}
	}
	if from["/after"] == from["/slow/1"] {
		t.Errorf("the connection was kept: %v", from)
	}
	if len(w.lines.on) != 0 {
		t.Errorf("counted for ever: %v", w.lines.on)
	}
}

// roundTrips is a base that is a function.
type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A request that gets connections which were closed goes over another, as long as it may be
// that net/http has not found out. What fails for another reason is not tried again.
func TestDeadLine(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, test := range []struct {
		name  string
		dead  int // of the connections, the first ones
		then  error
		trips int
	}{
		{"the second is alive", 1, nil, 2},
		{"the fourth is alive", maxDead, nil, maxDead + 1},
		{"all are dead", 100, nil, maxDead + 1},
		{"there is no second", 1, refused, 2},
		{"there is none", 0, refused, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			trips := 0
			base := roundTrips(func(req *http.Request) (*http.Response, error) {
				trips++
				if trips > test.dead && test.then != nil {
					return nil, test.then // no connection was got
				}
				conn := http2Conn(t)
				if trips <= test.dead {
					_ = conn.Close()
				}
				trace := httptrace.ContextClientTrace(req.Context())
				trace.GotConn(httptrace.GotConnInfo{Conn: conn, Reused: true})
				if trips <= test.dead {
					return nil, net.ErrClosed
				}
				trace.WroteHeaders()
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
			})
			resp, err := testWire(t, base).RoundTrip(httptest.NewRequest(http.MethodGet, "https://a.example/", nil))
			if err == nil {
				_ = resp.Body.Close()
			}
			if sound := test.then == nil && test.dead <= maxDead; trips != test.trips || (err == nil) != sound {
				t.Errorf("%d round trips, want %d; %v", trips, test.trips, err)
			}
		})
	}
}

// http2Conn returns a connection to a server of HTTP/2.
func http2Conn(t *testing.T) *tls.Conn {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := server.Client().Transport.(*http.Transport).TLSClientConfig
	conn, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: trusted.RootCAs, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// An answer that is not read to its end costs no other URL of the host anything.
func TestUnreadAnswerIsNoHarm(t *testing.T) {
	const slow = 3
	for _, left := range []string{"/large", "/sitemap.xml"} {
		t.Run(left[1:], func(t *testing.T) {
			cfg := testConfig(t)
			cfg.PerHost, cfg.Workers, cfg.MaxBody = slow+1, slow+1, 1<<20
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
