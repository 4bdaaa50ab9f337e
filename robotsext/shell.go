package robotsext

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"sync"
)

// A shell stands before the transport of a collector's client. Its front is an
// *http.Transport that sends nothing itself: colly's SetProxy finds a transport of the
// type it knows and writes to its fields, instead of putting another in its place.
type shell struct {
	gate    *collectorGate
	front   *http.Transport
	adopted http.RoundTripper // what the program has set on the collector; nil: nothing
	base    base              // what requests go through that may be sent

	mu     sync.Mutex
	served map[string]bool // schemes that front hands over
}

// newShell is a shell before t, which is put in place next. A nil t stands for
// Options.Transport. If t is a shell, its place is taken, with the proxy it has. The
// caller holds g.mu.
func (g *collectorGate) newShell(t http.RoundTripper) *shell {
	s := &shell{gate: g, adopted: t, base: g.robots.transports.base, served: make(map[string]bool)}
	// HTTP/1 alone: the transport must not claim "https" for HTTP/2.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	s.front = &http.Transport{DialContext: s.dial, DialTLSContext: s.dial, Protocols: protocols}
	if old := shellOf(t); old != nil {
		s.adopted = old.adopted
		s.front.Proxy, s.front.DisableKeepAlives = old.front.Proxy, old.front.DisableKeepAlives
	}
	if s.adopted != nil {
		s.base = g.robots.transports.adopt(s.adopted)
	}
	s.serve("http")
	s.serve("https")
	g.shell = s
	return s
}

// serve has requests with scheme handed over to the shell, as http and https are.
func (s *shell) serve(scheme string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.served[scheme] {
		s.served[scheme] = true
		s.front.RegisterProtocol(scheme, s)
	}
}

// findKey is the context key under which dial returns its shell, as a **shell.
type findKey struct{}

// dial refuses to connect. Only a request for another protocol gets here: net/http
// takes https requests with an Upgrade field past registered protocols.
func (s *shell) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if found, ok := ctx.Value(findKey{}).(**shell); ok {
		*found = s
	}
	return nil, fmt.Errorf("%w: Upgrade", ErrUncheckable)
}

// dialCode tells the fronts of shells from other transports.
var dialCode = reflect.ValueOf((*shell)(nil).dial).Pointer() //nolint:forbidigo // functions cannot be compared otherwise

// shellOf returns the shell whose front t is; nil if it is none.
func shellOf(t http.RoundTripper) *shell {
	front, ok := t.(*http.Transport)
	if !ok || front == nil || front.DialContext == nil ||
		reflect.ValueOf(front.DialContext).Pointer() != dialCode { //nolint:forbidigo // as above
		return nil
	}
	var s *shell
	_, _ = front.DialContext(context.WithValue(context.Background(), findKey{}, &s), "", "")
	return s
}

// RoundTrip answers colly's question for robots.txt, and checks what else there is.
func (s *shell) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if seal := sealOf(ctx); seal != nil {
		return seal.pass(req, s.gate.robots, s, collectorBase{s.gate.robots})
	}
	if req.Method == http.MethodGet && req.URL.Path == robotsPath && !s.gate.isPage(req) {
		return s.answer(req)
	}
	if !s.gate.client.known() {
		closeBody(req)
		return nil, ErrContextReplaced
	}
	ctx = context.WithValue(ctx, shellKey{}, s)
	return s.gate.robots.pass(ctx, ctx, req, collectorBase{s.gate.robots})
}

// send sends req without asking anything.
func (s *shell) send(req *http.Request) (*http.Response, error) {
	if s.front.DisableKeepAlives && !req.Close {
		req = req.WithContext(req.Context())
		req.Close = true
	}
	if s.front.Proxy == nil {
		return s.base.transport.RoundTrip(req)
	}
	if s.base.proxied == nil {
		closeBody(req)
		return nil, ErrProxy
	}
	return s.base.proxied().RoundTrip(req)
}

// shellKey is the context key for the shell of the collector on whose behalf a
// request is sent, a *shell.
type shellKey struct{}

// roundTrip sends req by Options.Transport, or as the collector does that it is sent
// for.
func (ts *transports) roundTrip(req *http.Request) (*http.Response, error) {
	if s, _ := req.Context().Value(shellKey{}).(*shell); s != nil {
		return complete(s.send(req))
	}
	return complete(ts.base.transport.RoundTrip(req))
}

// collectorBase is roundTrip as a RoundTripper.
type collectorBase struct{ robots *Robots }

// RoundTrip sends req without asking anything.
func (b collectorBase) RoundTrip(req *http.Request) (*http.Response, error) {
	return b.robots.transports.roundTrip(req)
}

// base is a transport, and its twin for collectors with a proxy.
type base struct {
	transport http.RoundTripper
	proxied   func() http.RoundTripper // nil: it takes no proxy
}

// ownBase is the base that Options.Transport or, where it is nil, this package makes.
func (ts *transports) ownBase(t http.RoundTripper) base {
	if t == nil {
		t = newTransport()
	}
	if t, ok := t.(*http.Transport); ok {
		return ts.guarded(t)
	}
	return base{transport: t}
}

// adopt is the base that a transport makes which the program has set on a collector.
// As in colly, SetProxy puts a plain transport in the place of one that takes no proxy.
func (ts *transports) adopt(t http.RoundTripper) base {
	h, ok := t.(*http.Transport)
	switch {
	case ok && (ts.guard == nil || h.DialContext == nil && h.DialTLSContext == nil && h.Dial == nil && h.DialTLS == nil): //nolint:staticcheck // deprecated, and in use
		return ts.guarded(h)
	case ts.guard == nil:
		return base{transport: t, proxied: ts.guarded(newTransport()).proxied}
	}
	ts.log.Warn("nothing is sent by a collector", "error", errUnguarded)
	refuse := refusal{errUnguarded}
	return base{transport: refuse, proxied: func() http.RoundTripper { return refuse }}
}

// guarded is t, and its twin for collectors with a proxy, under Options.Guard.
func (ts *transports) guarded(t *http.Transport) base {
	guarded := func(t *http.Transport) http.RoundTripper { return t }
	if g := ts.guard; g != nil {
		guarded = func(t *http.Transport) http.RoundTripper { return g.Transport(t, newDialer()) }
	}
	return base{
		transport: guarded(t),
		proxied:   sync.OnceValue(func() http.RoundTripper { return guarded(withCollectorProxy(t)) }),
	}
}

// withCollectorProxy is t with the proxy of the collector that a request is sent
// for.
func withCollectorProxy(t *http.Transport) *http.Transport {
	twin := t.Clone()
	twin.Proxy = func(req *http.Request) (*url.URL, error) {
		s, _ := req.Context().Value(shellKey{}).(*shell)
		if s == nil || s.front.Proxy == nil {
			return nil, ErrProxy
		}
		// colly's proxy switcher writes to the request it is given, which would
		// change what was checked.
		return s.front.Proxy(req.Clone(req.Context()))
	}
	return twin
}

// errUnguarded is why nothing is sent by a collector whose transport cannot be guarded.
var errUnguarded = errors.New("the collector's transport cannot be guarded: leave out its dial functions, or robotsext.Options.Guard")

// refusal is a transport that sends nothing.
type refusal struct{ err error }

// RoundTrip returns the error.
func (r refusal) RoundTrip(req *http.Request) (*http.Response, error) {
	closeBody(req)
	return nil, r.err
}
