package hook

import (
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
)

// base is a transport, and a copy of it for collectors with a proxy.
type base struct {
	transport http.RoundTripper
	proxied   func() http.RoundTripper // nil if it supports no proxy
}

// newBase returns the base for t, or for the default transport if t is nil.
func (h *Hook) newBase(t http.RoundTripper) base {
	if t == nil {
		t = newTransport()
	}
	if t, ok := t.(*http.Transport); ok {
		return h.guarded(t)
	}
	return base{transport: t}
}

// own returns the base of collectors without a transport of their own. Without Options.Transport
// that is http.DefaultTransport, as in colly, which a program may replace at any time.
func (h *Hook) own() base {
	if h.Transport != nil {
		return h.base
	}
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return h.adopt(http.DefaultTransport)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shared != t {
		h.shared, h.sharedBase = t, h.guarded(t)
	}
	return h.sharedBase
}

// adopt returns the base for a transport that the program has set on a collector. As in
// colly, SetProxy replaces a transport that supports no proxy with a default one.
func (h *Hook) adopt(t http.RoundTripper) base {
	own, ok := t.(*http.Transport)
	switch {
	case ok && (h.Guard == nil || own.DialContext == nil && own.DialTLSContext == nil && own.Dial == nil && own.DialTLS == nil): //nolint:staticcheck // deprecated, and in use
		return h.guarded(own)
	case h.Guard == nil:
		return base{transport: t, proxied: h.proxied}
	}
	h.unguarded.Do(func() { h.Log.Warn("a collector cannot send requests", "error", ErrUnguarded) })
	refuse := roundtrip.Func(func(req *http.Request) (*http.Response, error) {
		roundtrip.CloseBody(req)
		return nil, ErrUnguarded
	})
	return base{transport: refuse, proxied: func() http.RoundTripper { return refuse }}
}

// guarded returns the base for t with Options.Guard.
func (h *Hook) guarded(t *http.Transport) base {
	guarded := func(t *http.Transport) http.RoundTripper { return t }
	if g := h.Guard; g != nil {
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
		s := shellIn(req.Context())
		if s == nil || s.front.Proxy == nil {
			return nil, ErrProxy
		}
		// colly's proxy switcher modifies the request, which was checked already.
		return s.front.Proxy(req.Clone(req.Context()))
	}
	return proxied
}

// newTransport returns the default transport. It keeps as many connections to a host
// as a small pool of workers uses.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            newDialer().DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           1000,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

func newDialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
}
