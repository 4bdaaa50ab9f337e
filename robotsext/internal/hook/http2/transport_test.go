package http2

import (
	"net/http"
	"testing"
	"time"
)

// closing is a transport that returns the context and the channel Cancel of its request.
type closing struct {
	req    *http.Request
	closed bool
}

func (c *closing) RoundTrip(req *http.Request) (*http.Response, error) {
	c.req = req
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
}

func (c *closing) CloseIdleConnections() { c.closed = true }

// http.Client ends a request of this transport by its context alone.
func TestClientTakesItForATransportWithContexts(t *testing.T) {
	inner := &closing{}
	client := &http.Client{Transport: &Transport{inner}, Timeout: time.Minute}
	resp, err := client.Get("http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel := inner.req.Cancel //nolint:staticcheck // deprecated, and what http.Client uses for other types
	if _, limited := inner.req.Context().Deadline(); !limited || cancel != nil {
		t.Errorf("deadline %t, channel %v", limited, cancel)
	}
	client.CloseIdleConnections()
	if !inner.closed {
		t.Error("CloseIdleConnections does not reach the transport")
	}
}
