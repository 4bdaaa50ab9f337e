package fetch

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// Wrapped connections are guarded as others are: an address that is not allowed is refused whether it is in the URL, in
// another spelling, the address of a name, or that of a request whose proxy is gone when it is sent.
func TestWrappedConnectionsAreGuarded(t *testing.T) {
	for _, secure := range []bool{false, true} {
		s := newRawServer(t, secure, func(*http.Request) (string, bool) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true })
		for name, tt := range map[string]struct {
			host    string
			allowed bool // the address 127.0.0.1
			proxied bool
			want    error
		}{
			"allowed":           {"name.example", true, false, nil},
			"address":           {"127.0.0.1", false, false, guard.ErrRefused},
			"address of a name": {"name.example", false, false, guard.ErrRefused},
			"other spelling":    {"2130706433", true, false, guard.ErrRefused},
			"proxy is gone":     {"127.0.0.1", false, true, guard.ErrRefused},
		} {
			cfg := &Config{Timeout: time.Minute, Workers: 1, Guard: guard.New(), Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.1"))}
			if tt.allowed {
				cfg.Guard = guard.New(netip.MustParsePrefix("127.0.0.0/8"))
			}
			own := newHTTPTransport(cfg)
			own.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // the certificate has other names
			asked := 0
			own.Proxy = func(*http.Request) (*url.URL, error) {
				if asked++; tt.proxied && asked == 1 {
					return url.Parse("http://127.0.0.1:1")
				}
				return nil, nil
			}
			transport := newFallback(own, cfg, true)
			all := map[string]http.RoundTripper{"base": transport.base, "HTTP/1.1": transport.http1}
			if !tt.proxied {
				all["filtered"] = transport.filtered
			}
			for which, to := range all {
				asked = 0
				if err := get(t.Context(), to, strings.Replace(s.url, "127.0.0.1", tt.host, 1)); !errors.Is(err, tt.want) {
					t.Errorf("%s, %s, TLS %t: %v", name, which, secure, err)
				}
			}
			transport.CloseIdleConnections()
		}
	}
}

// A TLS handshake over a connection that is wrapped has a time limit of its own, and its error says so.
func TestHandshakeTimeOfWrappedConnections(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }() // it never answers
		}
	}()
	cfg := &Config{Timeout: 50 * time.Millisecond, Guard: guard.New(netip.MustParsePrefix("127.0.0.0/8"))}
	began := time.Now()
	err = get(t.Context(), wrapConns(newHTTPTransport(cfg), cfg, newRecordedConn), "https://"+listener.Addr().String())
	if err == nil {
		t.Fatal("there is a response")
	}
	if got := explain(t.Context(), err, began, false).Error(); !isTimeout(err) || !strings.HasPrefix(got, "no TLS handshake within ") {
		t.Errorf("%v: %s", err, got)
	}
}
