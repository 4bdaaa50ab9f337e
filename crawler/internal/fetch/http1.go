package fetch

import (
	"net/http"
	"strings"
	"sync"
)

// An http1Fallback sends requests over HTTP/1.1 to origins that require it. The first request that
// fails for this reason is repeated after the delay of the host (see sender).
type http1Fallback struct {
	base  http.RoundTripper
	http1 http.RoundTripper // like base, without HTTP/2

	mu       sync.Mutex // guards the fields below
	required map[string]bool
}

// maxRequired limits the number of origins in required. An origin that is forgotten costs one more
// request.
const maxRequired = 10_000

// RoundTrip implements http.RoundTripper. It supports only requests without a body.
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

// requiresHTTP1 reports whether a site has ended an HTTP/2 stream or connection because it requires
// HTTP/1.1, or TLS settings that HTTP/2 does not allow (RFC 9113, section 7). net/http does not
// have a type for each of these errors, but their texts contain the name of the HTTP/2 error code.
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
