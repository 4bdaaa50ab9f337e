package fetch

import (
	"net"
	"net/http"
	"strings"
	"sync"
)

// A fallback sends requests in another way to origins that need it. The first request that fails for
// this reason is repeated after the delay of the host (see sender).
type fallback struct {
	base     http.RoundTripper
	http1    http.RoundTripper
	filtered http.RoundTripper // for servers with malformed headers, without a proxy; nil if there is none
	proxied  *http.Transport   // has the proxies of base, if filtered is set

	mu     sync.Mutex // guards the fields below
	needed map[string]http.RoundTripper
}

// newFallback returns a fallback whose transports are like t. With record, connections of HTTP/1.1 without a proxy are
// recorded.
func newFallback(t *http.Transport, cfg *Config, record bool) *fallback {
	guarded := func(t *http.Transport) http.RoundTripper { return cfg.Guard.Transport(t, newDialer(cfg)) }
	connect, filter := guarded, newHeaderFilter
	if record {
		connect = func(t *http.Transport) http.RoundTripper {
			return &routed{wrapConns(t, cfg, newRecordedConn), guarded(t), t.Proxy}
		}
		filter = func(conn net.Conn) net.Conn { return newHeaderFilter(newRecordedConn(conn)) }
	}
	single := withoutHTTP2(t)
	single.DisableKeepAlives = true
	return &fallback{base: connect(t), http1: connect(withoutHTTP2(t)), filtered: wrapConns(single, cfg, filter), proxied: t}
}

// maxNeeded limits the number of origins in needed. An origin that is forgotten costs one more request.
const maxNeeded = 10_000

// RoundTrip implements http.RoundTripper. It supports only requests without a body.
func (f *fallback) RoundTrip(req *http.Request) (*http.Response, error) {
	origin := req.URL.Scheme + "://" + req.URL.Host
	f.mu.Lock()
	via := f.needed[origin]
	f.mu.Unlock()
	if via == nil {
		via = f.base
	}
	resp, err := via.RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	other := f.instead(req, err)
	if other == nil || other == via {
		return resp, err
	}
	f.mu.Lock()
	if f.needed == nil || len(f.needed) >= maxNeeded {
		f.needed = make(map[string]http.RoundTripper)
	}
	f.needed[origin] = other
	f.mu.Unlock()
	return other.RoundTrip(req)
}

// instead returns the transport that may succeed where a request failed, or nil if there is none.
func (f *fallback) instead(req *http.Request, err error) http.RoundTripper {
	switch {
	case requiresHTTP1(err):
		return f.http1
	case f.filtered != nil && isMalformedHeader(err):
		if by, _ := f.proxied.Proxy(req); by == nil {
			return f.filtered
		}
	}
	return nil
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (f *fallback) CloseIdleConnections() {
	closeIdle(f.base)
	closeIdle(f.http1)
	if f.filtered != nil {
		closeIdle(f.filtered)
	}
}

// requiresHTTP1 reports whether a site has ended an HTTP/2 stream or connection because it requires
// HTTP/1.1, or TLS settings that HTTP/2 does not allow (RFC 9113, section 7). For some of these
// errors net/http has no type, but their texts contain the name of the HTTP/2 error code.
func requiresHTTP1(err error) bool {
	text := err.Error()
	return strings.Contains(text, "HTTP_1_1_REQUIRED") || strings.Contains(text, "INADEQUATE_SECURITY")
}

// withoutHTTP2 returns a clone of t that uses HTTP/1.1 only.
func withoutHTTP2(t *http.Transport) *http.Transport {
	t = t.Clone()
	t.ForceAttemptHTTP2, t.TLSNextProto = false, nil
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.NextProtos = nil // which HTTP/2 has added itself to
	}
	return t
}
