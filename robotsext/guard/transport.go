package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// Transport returns a RoundTripper that works as base does, whose connections are made by
// dialer and judged by g. Neither of the two is changed; the dial functions of base are
// not used. A nil dialer is one that waits 30 seconds at most.
//
// Before anything is looked up or connected to, the host of a request is judged by
// [Guard.CheckHost], so that one in a rare spelling of an address is refused whoever would
// have read it.
//
// The proxies that base.Proxy names are connected to whatever their address is, since
// whoever has set it has chosen them. What a proxy makes of a name is its own business.
// The same address is refused to a request that is not for the proxy, as one is where
// http.ProxyFromEnvironment lets loopback bypass it.
func (g *Guard) Transport(base *http.Transport, dialer *net.Dialer) http.RoundTripper {
	if dialer == nil {
		dialer = &net.Dialer{Timeout: 30 * time.Second}
	}
	direct := *dialer
	direct.Control, direct.ControlContext = nil, func(ctx context.Context, network, address string, c syscall.RawConn) error {
		if err := g.Control(network, address, c); err != nil {
			return err
		}
		switch {
		case dialer.ControlContext != nil:
			return dialer.ControlContext(ctx, network, address, c)
		case dialer.Control != nil:
			return dialer.Control(network, address, c)
		}
		return nil
	}
	t := &transport{guard: g, base: base.Clone(), choose: base.Proxy}
	t.base.Dial, t.base.DialTLS, t.base.DialTLSContext = nil, nil, nil //nolint:staticcheck // they would go past the dialer
	t.base.Proxy = func(req *http.Request) (*url.URL, error) {
		by, ok := req.Context().Value(routeKey{}).(*url.URL)
		if !ok {
			return nil, errUnrouted
		}
		return by, nil
	}
	t.base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		// A connection is made for one route alone: net/http keeps those to a proxy
		// and those to a site apart.
		if by, _ := ctx.Value(routeKey{}).(*url.URL); by != nil {
			return dialer.DialContext(ctx, network, addr)
		}
		return direct.DialContext(ctx, network, addr)
	}
	return t
}

// errUnrouted cannot be seen, unless net/http stops handing on the values of contexts.
var errUnrouted = errors.New("request without a route")

// routeKey is the context key for the proxy that a request goes by, a *url.URL that is
// nil for none.
type routeKey struct{}

// transport decides about the route of a request before anything is connected to.
type transport struct {
	guard  *Guard
	base   *http.Transport
	choose func(*http.Request) (*url.URL, error) // as of http.Transport.Proxy
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	by, err := t.route(req)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base.RoundTrip(req.WithContext(context.WithValue(req.Context(), routeKey{}, by)))
	if err != nil {
		return nil, err
	}
	resp.Request = req
	return resp, nil
}

// route returns the proxy that a request is to go by; nil: none.
func (t *transport) route(req *http.Request) (by *url.URL, err error) {
	if req.URL == nil {
		return nil, nil // base says what is wrong
	}
	if t.choose != nil {
		if by, err = t.choose(req); err != nil {
			return nil, err
		}
	}
	return by, t.guard.CheckHost(req.URL.Hostname())
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }
