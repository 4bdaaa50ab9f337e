package hook

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
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
	gate    *gate
	front   *http.Transport
	adopted http.RoundTripper // the transport that the program has set; nil if none
	base    base              // sends the allowed requests; if adopted is nil, see own

	mu         sync.Mutex
	registered map[string]bool // schemes that front passes to the shell
}

// newShell returns a shell around t, for the caller to install. A nil t means the transport of
// a collector that has none. If t is a shell, the new one replaces it and keeps its proxy. The
// caller holds g.mu.
func (g *gate) newShell(t http.RoundTripper) *shell {
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
		s.base = g.hook.adopt(s.adopted)
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
		if IsChecked(scheme) {
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
var dialCode = reflect.ValueOf((*shell)(nil).dial).Pointer()

// shellOf returns the shell that has t as its front, or nil.
func shellOf(t http.RoundTripper) *shell {
	front, ok := t.(*http.Transport)
	if !ok || front == nil || front.DialContext == nil ||
		reflect.ValueOf(front.DialContext).Pointer() != dialCode {
		return nil
	}
	var s *shell
	_, _ = front.DialContext(context.WithValue(context.Background(), findKey{}, &s), "", "")
	return s
}

// shellOf returns the shell that has t as its front, or nil. Most often that is the one that was
// installed last. The caller holds g.mu.
func (g *gate) shellOf(t http.RoundTripper) *shell {
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
		return seal.pass(req, s.gate.hook.checker, s, roundtrip.Func(s.send))
	}
	if req.Method == http.MethodGet && req.URL.Path == record.RobotsPath && !s.gate.isPage(req) {
		return s.answer(req)
	}
	s.gate.unsealed.Store(true)
	if !s.gate.private.known() {
		roundtrip.CloseBody(req)
		return nil, ErrContextReplaced
	}
	return s.gate.hook.checker.Pass(&checkContext{ctx, ctx, s}, context.WithValue(ctx, shellKey{}, s), req, roundtrip.Func(s.send))
}

// send sends req without a check.
func (s *shell) send(req *http.Request) (*http.Response, error) {
	if s.front.DisableKeepAlives && !req.Close {
		req = req.WithContext(req.Context())
		req.Close = true
	}
	base := s.base
	if s.adopted == nil {
		base = s.gate.hook.own()
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

// shellIn returns the shell in ctx, or nil.
func shellIn(ctx context.Context) *shell {
	s, _ := ctx.Value(shellKey{}).(*shell)
	return s
}
