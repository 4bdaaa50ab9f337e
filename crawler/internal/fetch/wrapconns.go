package fetch

import (
	"cmp"
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
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		secured, err := handshake(ctx, conn, t, addr)
		switch {
		case err != nil:
			_ = conn.Close()
			return nil, err
		case isHTTP2(secured):
			return secured, nil
		}
		return wrap(secured), nil
	}
	return &guarded{t, cfg.Guard}
}

// errHandshake is the error of a TLS handshake that takes too long. It has the text of net/http's.
var errHandshake = fmt.Errorf("TLS handshake timeout: %w", os.ErrDeadlineExceeded)

// handshake opens TLS on a connection, as a transport without DialTLSContext does.
func handshake(ctx context.Context, conn net.Conn, t *http.Transport, addr string) (*tls.Conn, error) {
	config := new(tls.Config)
	if t.TLSClientConfig != nil {
		config = t.TLSClientConfig.Clone()
	}
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		config.ServerName = host
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(t.TLSHandshakeTimeout, handshakeTime), errHandshake)
	defer cancel()
	secured := tls.Client(conn, config)
	err := secured.HandshakeContext(ctx)
	if err != nil && context.Cause(ctx) == errHandshake {
		err = errHandshake
	}
	return secured, err
}

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
