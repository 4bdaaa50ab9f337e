package guard

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// Transport returns a RoundTripper like base. Dialer makes its connections, and g checks
// them. Base and dialer are not changed, and the dial functions of base are not used.
// If dialer is nil, the connect timeout is 30 seconds.
//
// Before a request it calls [Guard.CheckHost] with the host of the URL, so that
// unusual spellings of addresses are refused.
//
// Proxies of base.Proxy may have any address, since the user has chosen them. A proxy
// resolves names itself, and the Guard cannot check the results. Requests to the
// address of a proxy that do not go through it are checked as usual.
func (g *Guard) Transport(base *http.Transport, dialer *net.Dialer) http.RoundTripper {
	dialer = cmp.Or(dialer, &net.Dialer{Timeout: 30 * time.Second})
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
		// A connection has one route: net/http does not share the connections to a
		// proxy with requests without it.
		if by, _ := ctx.Value(routeKey{}).(*url.URL); by != nil {
			return dialer.DialContext(ctx, network, addr)
		}
		return direct.DialContext(ctx, network, addr)
	}
	return t
}

// errUnrouted means that net/http did not pass on the values of a context. It should
// never occur.
var errUnrouted = errors.New("request without a route")

// routeKey is the context key of a request's proxy, a *url.URL that is nil for none.
type routeKey struct{}

// transport chooses the proxy of a request and checks its host before connecting.
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

// route returns the proxy of a request, or nil.
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

// CloseIdleConnections implements the interface of http.Client.CloseIdleConnections.
func (t *transport) CloseIdleConnections() { t.base.CloseIdleConnections() }
