package robotsext

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"sync"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook/http2"
	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/record"
)

// shell wraps the transport of a collector's client. Its front is an *http.Transport
// that passes all requests to the shell. colly's SetProxy keeps a transport of this type
// and sets its fields; it would replace any other.
type shell struct {
	gate    *collectorGate
	front   *http.Transport
	adopted http.RoundTripper // the transport that the program has set; nil: none
	base    base              // sends the allowed requests; if adopted is nil, see own

	mu         sync.Mutex
	registered map[string]bool // schemes that front passes to the shell
}

// newShell returns a shell around t, for the caller to install. A nil t means the transport of
// a collector that has none. If t is a shell, the new one replaces it and keeps its proxy. The
// caller holds g.mu.
func (g *collectorGate) newShell(t http.RoundTripper) *shell {
	s := &shell{gate: g, adopted: t, registered: make(map[string]bool)}
	// Only HTTP/1: for HTTP/2 the transport would register "https" itself.
	noHTTP2 := make(map[string]func(string, *tls.Conn) http.RoundTripper)
	s.front = &http.Transport{DialContext: s.dial, DialTLSContext: s.dial, TLSNextProto: noHTTP2}
	if old := shellOf(t); old != nil {
		s.adopted = old.adopted
		s.front.Proxy, s.front.DisableKeepAlives = old.front.Proxy, old.front.DisableKeepAlives
	}
	if h, ok := s.adopted.(*http.Transport); ok && h == nil {
		s.adopted = nil // another goroutine is setting it, and has written its type only
	}
	if s.adopted != nil {
		s.base = g.robots.transports.adopt(s.adopted)
	}
	s.register("http")
	s.register("https")
	g.shell = s
	return s
}

// register makes front pass requests with scheme to the shell, held or not.
func (s *shell) register(scheme string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.registered[scheme] {
		s.registered[scheme] = true
		s.front.RegisterProtocol(scheme, &http2.Transport{RoundTripper: s})
		if isCheckedScheme(scheme) {
			s.front.RegisterProtocol(heldPrefix+scheme, &http2.Transport{RoundTripper: s})
		}
	}
}

// findKey is the context key under which dial returns its shell, as a **shell.
type findKey struct{}

// errUpgrade is the error of dial.
var errUpgrade = fmt.Errorf("%w: Upgrade", ErrUncheckable)

// dial refuses to connect. net/http calls it only for https requests with an Upgrade
// field, for which it ignores registered protocols.
func (s *shell) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if found, ok := ctx.Value(findKey{}).(**shell); ok {
		*found = s
	}
	return nil, errUpgrade
}

// dialCode identifies the fronts of shells among other transports.
var dialCode = reflect.ValueOf((*shell)(nil).dial).Pointer() //nolint:forbidigo // functions cannot be compared otherwise

// shellOf returns the shell that has t as its front, or nil.
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

// shellOf returns the shell that has t as its front, or nil. Most often that is the one that was
// installed last. The caller holds g.mu.
func (g *collectorGate) shellOf(t http.RoundTripper) *shell {
	if g.shell != nil && t == http.RoundTripper(g.shell.front) {
		return g.shell
	}
	return shellOf(t)
}

// RoundTrip answers colly's own request for robots.txt and checks all other requests.
func (s *shell) RoundTrip(req *http.Request) (*http.Response, error) {
	release(req.URL)
	if req.URL.Scheme == "https" && req.Header.Get("Upgrade") != "" {
		roundtrip.CloseBody(req)
		return nil, errUpgrade // as dial
	}
	ctx := req.Context()
	if seal := sealOf(ctx); seal != nil {
		return seal.pass(req, s.gate.robots, s, roundtrip.Func(s.send))
	}
	if req.Method == http.MethodGet && req.URL.Path == record.RobotsPath && !s.gate.isPage(req) {
		return s.answer(req)
	}
	s.gate.unsealed.Store(true)
	if !s.gate.hook.Known() {
		roundtrip.CloseBody(req)
		return nil, ErrContextReplaced
	}
	return s.gate.robots.pass(&checkContext{ctx, ctx, s}, context.WithValue(ctx, shellKey{}, s), req, roundtrip.Func(s.send))
}

// send sends req without a check.
func (s *shell) send(req *http.Request) (*http.Response, error) {
	if s.front.DisableKeepAlives && !req.Close {
		req = req.WithContext(req.Context())
		req.Close = true
	}
	base := s.base
	if s.adopted == nil {
		base = s.gate.robots.transports.own()
	}
	if s.front.Proxy == nil {
		return base.transport.RoundTrip(req)
	}
	if base.proxied == nil {
		roundtrip.CloseBody(req)
		return nil, ErrProxy
	}
	return base.proxied().RoundTrip(req)
}

// shellKey is the context key for the *shell of the collector that a request belongs
// to.
type shellKey struct{}

// roundTrip sends req through the transport of the collector that it belongs to, or else
// through Options.Transport.
func (ts *transports) roundTrip(req *http.Request) (*http.Response, error) {
	if s, _ := req.Context().Value(shellKey{}).(*shell); s != nil {
		return roundtrip.Complete(s.send(req))
	}
	return roundtrip.Complete(ts.base.transport.RoundTrip(req))
}

// base is a transport, and a copy of it for collectors with a proxy.
type base struct {
	transport http.RoundTripper
	proxied   func() http.RoundTripper // nil: it supports no proxy
}

// newBase returns the base for Options.Transport, or for the default transport if t is nil.
func (ts *transports) newBase(t http.RoundTripper) base {
	if t == nil {
		t = newTransport()
	}
	if t, ok := t.(*http.Transport); ok {
		return ts.guarded(t)
	}
	return base{transport: t}
}

// own returns the base of collectors without a transport of their own. Without Options.Transport
// that is http.DefaultTransport, as in colly, which a program may replace at any time.
func (ts *transports) own() base {
	if ts.set {
		return ts.base
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return ts.adopt(http.DefaultTransport)
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.shared != t {
		ts.shared, ts.sharedBase = t, ts.guarded(t)
	}
	return ts.sharedBase
}

// adopt returns the base for a transport that the program has set on a collector. As in
// colly, SetProxy replaces a transport that supports no proxy with a default one.
func (ts *transports) adopt(t http.RoundTripper) base {
	h, ok := t.(*http.Transport)
	switch {
	case ok && (ts.guard == nil || h.DialContext == nil && h.DialTLSContext == nil && h.Dial == nil && h.DialTLS == nil): //nolint:staticcheck // deprecated, and in use
		return ts.guarded(h)
	case ts.guard == nil:
		return base{transport: t, proxied: ts.proxied}
	}
	ts.unguarded.Do(func() { ts.log.Warn("a collector cannot send requests", "error", errUnguarded) })
	refuse := roundtrip.Func(func(req *http.Request) (*http.Response, error) {
		roundtrip.CloseBody(req)
		return nil, errUnguarded
	})
	return base{transport: refuse, proxied: func() http.RoundTripper { return refuse }}
}

// guarded returns the base for t with Options.Guard.
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

// withCollectorProxy returns a copy of t with the proxy of the collector that a request
// belongs to.
func withCollectorProxy(t *http.Transport) *http.Transport {
	proxied := t.Clone()
	proxied.Proxy = func(req *http.Request) (*url.URL, error) {
		s, _ := req.Context().Value(shellKey{}).(*shell)
		if s == nil || s.front.Proxy == nil {
			return nil, ErrProxy
		}
		// colly's proxy switcher modifies the request, which was checked already.
		return s.front.Proxy(req.Clone(req.Context()))
	}
	return proxied
}

// errUnguarded is the error of collectors whose transport cannot be guarded.
var errUnguarded = errors.New("the collector's transport cannot be guarded: remove its dial functions, or do not set robotsext.Options.Guard")
