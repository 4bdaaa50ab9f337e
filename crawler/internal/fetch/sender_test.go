package fetch

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
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

	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
)

// http2Site starts a server of HTTP/2, and returns it with a transport that trusts it.
func http2Site(t *testing.T, handler http.Handler) (*httptest.Server, *http.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	transport := newHTTPTransport(&Config{Timeout: time.Minute, Workers: 4, PerHost: 1})
	transport.TLSClientConfig = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	t.Cleanup(transport.CloseIdleConnections)
	return server, transport
}

// roundTrips is a base that is a function.
type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A connection of HTTP/2 with an unread response is closed when the last of the other requests
// on it is done, and no sooner.
func TestUnreadResponseOverHTTP2(t *testing.T) {
	var mu sync.Mutex
	from := make(map[string]string) // by path: the address that requested it
	release := make(chan struct{})
	server, transport := http2Site(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from[r.URL.Path] = r.RemoteAddr
		mu.Unlock()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		if strings.HasPrefix(r.URL.Path, "/slow") {
			<-release
		}
		for r.URL.Path == "/left" && r.Context().Err() == nil { // the client aborts it
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<10))
		}
		_, _ = io.WriteString(w, "whole")
	}))
	w := testTransport(t, transport)
	get := func(path string) io.ReadCloser {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		must(t, err)
		resp, err := w.RoundTrip(req)
		must(t, err)
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
	if len(w.conns.loads) != 0 {
		t.Errorf("counted for ever: %v", w.conns.loads)
	}
}

// A request on a closed connection is sent on another one, as long as net/http may not know of the
// close. After other failures it is not sent again.
func TestClosedConnection(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, test := range []struct {
		name  string
		dead  int // of the connections, the first ones
		then  error
		trips int
	}{
		{"the second is alive", 1, nil, 2},
		{"the fourth is alive", maxClosed, nil, maxClosed + 1},
		{"all are dead", 100, nil, maxClosed + 1},
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
			err := get(t.Context(), testTransport(t, base), "https://a.example/")
			if sound := test.then == nil && test.dead <= maxClosed; trips != test.trips || (err == nil) != sound {
				t.Errorf("%d round trips, want %d; %v", trips, test.trips, err)
			}
		})
	}
}

// http2Conn returns a connection to a server of HTTP/2.
func http2Conn(t *testing.T) *tls.Conn {
	t.Helper()
	server, transport := http2Site(t, http.NotFoundHandler())
	trusted := transport.TLSClientConfig
	trusted.NextProtos = []string{"h2"}
	conn, err := tls.Dial("tcp", server.Listener.Addr().String(), trusted)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// testTransport returns a transport over a base. The crawl must not fail.
func testTransport(t *testing.T, base http.RoundTripper) *Transport {
	crawl := testCrawl()
	t.Cleanup(func() {
		if _, _, fault := crawl.Lifecycle.Ending(); fault != nil {
			t.Error(fault)
		}
	})
	return NewTransport(crawl, Config{Base: base})
}

// testCrawl returns a crawl without delays.
func testCrawl() Crawl {
	return Crawl{Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil), Pacer: new(countingPacer)}
}

// A countingPacer waits for nothing.
type countingPacer struct {
	pauses int
	err    error // of each
}

func (p *countingPacer) PauseBefore(context.Context, *url.URL) error {
	p.pauses++
	return p.err
}

func (*countingPacer) RetryAfter(*http.Request, *http.Response) time.Duration { return 0 }
func (*countingPacer) Block(*url.URL, time.Duration)                          {}
