package robotsext

import (
	"context"
	"net/http"
)

// A Signer signs requests, so that a site can verify who sends them. The Signer of package botauth
// is one.
type Signer interface {
	// Send sends a signed copy of req through base. If the site asks for another signature, it
	// calls wait and sends one more copy.
	Send(base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error)
}

// send sends req through base, signed if there is a Signer.
func send(signer Signer, base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error) {
	if signer == nil {
		return base.RoundTrip(req)
	}
	return signer.Send(base, req, wait)
}

// roundTripper is a function as http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
