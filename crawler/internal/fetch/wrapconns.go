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

	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A wrapped transport wraps the connections of requests without a proxy. It checks the host of each request before it
// resolves the name.
type wrapped struct {
	*http.Transport // without proxies

	guard   *guard.Guard
	proxy   func(*http.Request) (*url.URL, error)
	proxied http.RoundTripper
}

// wrapConns returns a transport like t that wraps each connection to a server, unless it is of HTTP/2.
func wrapConns(t *http.Transport, cfg *Config, wrap func(net.Conn) net.Conn) *wrapped {
	direct, dialer := t.Clone(), newDialer(cfg)
	dialer.Control = cfg.Guard.Control
	direct.Proxy = nil
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
		config := cmp.Or(direct.TLSClientConfig, &tls.Config{}).Clone() //nolint:gosec // the default has TLS 1.2
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
	return &wrapped{direct, cfg.Guard, t.Proxy, cfg.Guard.Transport(t, newDialer(cfg))}
}

// errHandshake is the error of a TLS handshake that takes too long, with the text of net/http's.
var errHandshake = fmt.Errorf("TLS handshake timeout: %w", os.ErrDeadlineExceeded)

// RoundTrip implements http.RoundTripper.
func (t *wrapped) RoundTrip(req *http.Request) (*http.Response, error) {
	if by, err := t.proxy(req); by != nil || err != nil {
		return t.proxied.RoundTrip(req)
	}
	if err := t.guard.CheckHost(req.URL.Hostname()); err != nil {
		return nil, err
	}
	return t.Transport.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *wrapped) CloseIdleConnections() {
	t.Transport.CloseIdleConnections()
	closeIdle(t.proxied)
}
