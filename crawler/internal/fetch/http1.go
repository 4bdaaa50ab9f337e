package fetch

import (
	"net/http"
	"strings"
	"sync"
)

// An http1Fallback sends requests over HTTP/1.1 to origins that do not want HTTP/2. Both ways
// lead to the same server: the request that finds that out waits for it (see sender).
type http1Fallback struct {
	base  http.RoundTripper
	http1 http.RoundTripper // like base, without HTTP/2

	mu       sync.Mutex // guards all below
	required map[string]bool
}

// maxRequired bounds the memory for origins that do not want HTTP/2. One that is forgotten
// costs a request.
const maxRequired = 10_000

// RoundTrip implements http.RoundTripper. Only requests without a body go through it.
func (f *http1Fallback) RoundTrip(req *http.Request) (*http.Response, error) {
	origin := req.URL.Scheme + "://" + req.URL.Host
	f.mu.Lock()
	required := f.required[origin]
	f.mu.Unlock()
	if required {
		return f.http1.RoundTrip(req)
	}
	resp, err := f.base.RoundTrip(req)
	if err == nil || !requiresHTTP1(err) {
		return resp, err
	}
	f.mu.Lock()
	if f.required == nil || len(f.required) >= maxRequired {
		f.required = make(map[string]bool)
	}
	f.required[origin] = true
	f.mu.Unlock()
	return f.http1.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (f *http1Fallback) CloseIdleConnections() {
	closeIdle(f.base)
	closeIdle(f.http1)
}

// requiresHTTP1 reports whether a site has ended a stream or a connection of HTTP/2 because it
// wants HTTP/1.1, or other TLS than HTTP/2 allows (RFC 9113, section 7). net/http has no type
// for all of these errors: in their texts the code of HTTP/2 has this name.
func requiresHTTP1(err error) bool {
	text := err.Error()
	return strings.Contains(text, "HTTP_1_1_REQUIRED") || strings.Contains(text, "INADEQUATE_SECURITY")
}

// withoutHTTP2 returns a transport that works as t does and speaks HTTP/1.1 alone.
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
