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

// A wrapped transport wraps its connections. It checks the host of each request before it resolves the name.
type wrapped struct {
	direct  *http.Transport
	proxied *http.Transport // for requests with a proxy
	guard   *guard.Guard
}

// wrapConns returns a transport like t that wraps each connection: above TLS if it is direct, below TLS if it is to a
// proxy. It does not wrap direct ones of HTTP/2.
func wrapConns(t *http.Transport, cfg *Config, wrap func(net.Conn) net.Conn) *wrapped {
	w := &wrapped{t.Clone(), t.Clone(), cfg.Guard}
	dialer := newDialer(cfg)
	dialer.Control = cfg.Guard.Control
	w.direct.Proxy, w.direct.DialContext, w.proxied.DialContext = nil, dialing(dialer, wrap), dialing(newDialer(cfg), wrap)
	w.direct.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&tls.Dialer{NetDialer: dialer, Config: w.direct.TLSClientConfig}).DialContext(ctx, network, addr)
		switch {
		case err != nil && isTimeout(err) && !IsDialing(err) && ctx.Err() == nil:
			return nil, errHandshake
		case err != nil || isHTTP2(conn):
			return conn, err
		}
		return wrap(conn), nil
	}
	return w
}

// errHandshake is the error of a TLS handshake that takes too long, with the text of net/http's.
var errHandshake = fmt.Errorf("TLS handshake timeout: %w", os.ErrDeadlineExceeded)

// dialing returns a function that opens a connection and wraps it.
func dialing(dialer *net.Dialer, wrap func(net.Conn) net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(conn), nil
	}
}

// RoundTrip implements http.RoundTripper.
func (t *wrapped) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.guard.CheckHost(req.URL.Hostname()); err != nil {
		return nil, err
	}
	if t.proxied.Proxy != nil {
		if by, err := t.proxied.Proxy(req); err != nil {
			return nil, err
		} else if by != nil {
			return t.proxied.RoundTrip(req)
		}
	}
	return t.direct.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *wrapped) CloseIdleConnections() {
	t.direct.CloseIdleConnections()
	t.proxied.CloseIdleConnections()
}
