package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
)

// wrapConns returns a transport like t, without proxies, that wraps each connection unless it is of HTTP/2. The guard
// checks the host of each request before its name is resolved, and then the address.
func wrapConns(t *http.Transport, cfg *Config, wrap func(net.Conn) net.Conn) *http.Transport {
	direct, dialer := t.Clone(), newDialer(cfg)
	dialer.Control = cfg.Guard.Control
	direct.Proxy = func(req *http.Request) (*url.URL, error) { return nil, cfg.Guard.CheckHost(req.URL.Hostname()) }
	opened := func(conn net.Conn, err error) (net.Conn, error) {
		if err != nil || isHTTP2(conn) {
			return conn, err
		}
		return wrap(conn), nil
	}
	direct.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return opened(dialer.DialContext(ctx, network, addr))
	}
	direct.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		config := cmp.Or(direct.TLSClientConfig, &tls.Config{}).Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(addr)
		}
		ctx, cancel := context.WithTimeoutCause(ctx, min(handshakeTime, cfg.Timeout), errHandshake)
		defer cancel()
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		return opened(secure, nil)
	}
	return direct
}

// errHandshake is the error of a TLS handshake that takes too long, with the text of net/http's.
var errHandshake = fmt.Errorf("TLS handshake timeout: %w", os.ErrDeadlineExceeded)

// A routed transport sends the requests that have a proxy in another way.
type routed struct {
	direct, proxied http.RoundTripper
	proxy           func(*http.Request) (*url.URL, error)
}

// RoundTrip implements http.RoundTripper.
func (t *routed) RoundTrip(req *http.Request) (*http.Response, error) {
	if by, err := t.proxy(req); by != nil || err != nil {
		return t.proxied.RoundTrip(req)
	}
	return t.direct.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *routed) CloseIdleConnections() {
	closeIdle(t.direct)
	closeIdle(t.proxied)
}
