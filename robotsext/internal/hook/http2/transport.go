// Package http2 has a RoundTripper that http.Client takes for a transport which supports
// contexts, because it goes by the name *http2.Transport. For other types it starts two
// goroutines, a timer and a channel for each request with a timeout, in order to end it without
// a context. BenchmarkVisit measures what that costs.
package http2

import "net/http"

// A Transport is a RoundTripper that ends a request when its context ends.
type Transport struct{ http.RoundTripper }

// CloseIdleConnections implements the interface of http.Client.CloseIdleConnections.
func (t *Transport) CloseIdleConnections() {
	(&http.Client{Transport: t.RoundTripper}).CloseIdleConnections()
}
