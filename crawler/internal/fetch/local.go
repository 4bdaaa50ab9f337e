package fetch

import "net/http"

// A localTransport sends the requests to some origins elsewhere.
type localTransport struct {
	http.RoundTripper

	local map[string]http.RoundTripper // by origin
}

// withLocal returns base, or a transport that sends the requests to local origins elsewhere.
func withLocal(base http.RoundTripper, local map[string]http.RoundTripper) http.RoundTripper {
	if len(local) == 0 {
		return base
	}
	return &localTransport{base, local}
}

// RoundTrip implements http.RoundTripper.
func (t *localTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if local, ok := t.local[req.URL.Scheme+"://"+req.URL.Host]; ok {
		return local.RoundTrip(req)
	}
	return t.RoundTripper.RoundTrip(req)
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (t *localTransport) CloseIdleConnections() {
	closeIdle(t.RoundTripper)
	for _, local := range t.local {
		closeIdle(local)
	}
}
