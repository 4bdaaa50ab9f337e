package crawler

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A site that asks for HTTP/1.1 gets it: the request that was turned away is sent again, after
// the delay, and those that follow do not try HTTP/2 any more.
func TestHTTP1Required(t *testing.T) {
	const delay = 100 * time.Millisecond
	reset := func(code http2.ErrCode) func(*http2.Framer, uint32, int) bool {
		return func(f *http2.Framer, stream uint32, _ int) bool { return f.WriteRSTStream(stream, code) == nil }
	}
	goAway := func(code http2.ErrCode) func(*http2.Framer, uint32, int) bool {
		return func(f *http2.Framer, _ uint32, _ int) bool {
			_ = f.WriteGoAway(0, code, nil)
			return false
		}
	}
	for _, tt := range []struct {
		name    string
		respond func(f *http2.Framer, stream uint32, nth int) (stay bool) // to each request over HTTP/2
		want    []string
	}{
		{"stream reset", reset(http2.ErrCodeHTTP11Required), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY", goAway(http2.ErrCodeHTTP11Required), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY, after a response", func(f *http2.Framer, stream uint32, nth int) bool {
			if nth > 1 { // net/http tries once more over HTTP/2, and the page is retried
				return goAway(http2.ErrCodeHTTP11Required)(f, stream, nth)
			}
			notFound := []byte{0x8d} // RFC 7541, appendix A
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: notFound, EndStream: true, EndHeaders: true}) == nil
		}, []string{"HTTP/2", "HTTP/2", "HTTP/2", "HTTP/1.1", "HTTP/1.1"}},
		{"stream reset, inadequate security", reset(http2.ErrCodeInadequateSecurity), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
		{"GOAWAY, inadequate security", goAway(http2.ErrCodeInadequateSecurity), []string{"HTTP/2", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var protocols []string
			var last time.Time
			came := func(protocol string) (nth int) {
				mu.Lock()
				defer mu.Unlock()
				if gap := time.Since(last); gap < delay {
					t.Errorf("a request came after %v, the delay is %v", gap, delay)
				}
				protocols, last = append(protocols, protocol), time.Now()
				return len(protocols)
			}
			cfg := testConfig(t)
			server, transport := framedSite(t, &cfg, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				came(r.Proto)
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, `<a href="/a">a</a>`)
			}), func(conn *tls.Conn) {
				serveFrames(conn, func(f *http2.Framer, stream uint32) bool { return tt.respond(f, stream, came("HTTP/2")) })
			})
			cfg.URLs, cfg.Politeness.Delay, cfg.Fetch.Retries = []string{server.URL}, delay, 1
			got := run(t, cfg, &Options{Transport: transport})
			mu.Lock()
			defer mu.Unlock()
			if got.Statuses[200] != 2 || len(got.rejected) != 0 || !slices.Equal(protocols, tt.want) {
				t.Errorf("%+v, rejected %+v, protocols %q, want %q", got.Summary, got.rejected, protocols, tt.want)
			}
		})
	}
}

// framedSite starts a server with a handler for HTTP/1.1, and another for each connection of
// HTTP/2, and returns it with a transport that trusts it.
func framedSite(t *testing.T, cfg *Config, http1 http.Handler, http2 func(conn *tls.Conn)) (*httptest.Server, *http.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(http1)
	server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) { http2(conn) },
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, trusting(t, cfg, server)
}

// serveFrames serves a connection of HTTP/2, of which respond gets each request, until that
// says that it is over.
func serveFrames(conn io.ReadWriteCloser, respond func(f *http2.Framer, stream uint32) (stay bool)) {
	defer func() { _ = conn.Close() }()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(conn, conn)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() && f.WriteSettingsAck() != nil {
				return
			}
		case *http2.HeadersFrame:
			if !respond(f, frame.StreamID) {
				return
			}
		}
	}
}
