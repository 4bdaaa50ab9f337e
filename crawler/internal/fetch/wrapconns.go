package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// wrapConns returns a transport like t that uses no proxy and wraps each connection, above TLS. It does not wrap those
// of HTTP/2.
func wrapConns(t *http.Transport, cfg *Config, wrap func(net.Conn) net.Conn) http.RoundTripper {
	t = t.Clone()
	t.Proxy = nil
	dialer := newDialer(cfg)
	dialer.Control = cfg.Guard.Control
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(conn), nil
	}
	t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&tls.Dialer{NetDialer: dialer, Config: t.TLSClientConfig}).DialContext(ctx, network, addr)
		switch {
		case err != nil && isTimeout(err) && !IsDialing(err) && ctx.Err() == nil:
			return nil, errHandshake
		case err != nil || isHTTP2(conn):
			return conn, err
		}
		return wrap(conn), nil
	}
	return &guarded{t, cfg.Guard}
}

// errHandshake is the error of a TLS handshake that takes too long, with the text of net/http's.
var errHandshake = fmt.Errorf("TLS handshake timeout: %w", os.ErrDeadlineExceeded)

// A guarded transport checks the host of each request before it resolves the name.
type guarded struct {
	*http.Transport
	guard *guard.Guard
}

// RoundTrip implements http.RoundTripper.
func (t *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.guard.CheckHost(req.URL.Hostname()); err != nil {
		return nil, err
	}
	return t.Transport.RoundTrip(req)
}

// A split sends requests over one transport, and those with a proxy over another.
type split struct {
	direct, viaProxy http.RoundTripper
	proxied          *http.Transport // has the proxies
}

// RoundTrip implements http.RoundTripper.
func (s *split) RoundTrip(req *http.Request) (*http.Response, error) {
	if by, err := s.proxied.Proxy(req); by != nil || err != nil {
		return s.viaProxy.RoundTrip(req)
	}
	return s.direct.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (s *split) CloseIdleConnections() {
	closeIdle(s.direct)
	closeIdle(s.viaProxy)
}
