package fetch

import (
	"net/http"

	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

// A localTransport sends the requests to some servers elsewhere.
type localTransport struct {
	http.RoundTripper

	local map[string]http.RoundTripper // by server
}

// RoundTrip implements http.RoundTripper.
func (t *localTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if local, ok := t.local[serverkey.Of(req.URL.Host)]; ok {
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
