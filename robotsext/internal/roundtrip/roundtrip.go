// Package roundtrip has what the RoundTrippers of robotsext share.
package roundtrip

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/politecrawl/politecrawl/robotsext/record"
)

// Func is a function as http.RoundTripper.
type Func func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f Func) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Send sends req through base, signed if there is a Signer.
func Send(signer record.Signer, base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error) {
	if signer == nil {
		return base.RoundTrip(req)
	}
	return signer.Send(base, req, wait)
}

// Complete validates the result of a transport and adds a missing body, like http.Client.
func Complete(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, errors.New("the transport returned neither a response nor an error")
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	return resp, nil
}

// CloseBody closes the body of a request that is not sent, as http.RoundTripper requires.
func CloseBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// Drain reads the rest of a short body, so that the connection can be reused. Reading a
// long body would cost more than a new connection.
func Drain(resp *http.Response) {
	const near = 16 << 10
	if 0 < resp.ContentLength && resp.ContentLength <= near {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, near))
	}
}

// OnClose returns body with a Close that also calls release.
func OnClose(body io.ReadCloser, release func()) io.ReadCloser {
	return KeepWriter(&releasingBody{body, release}, body)
}

// KeepWriter returns wrapped, which closes body. It can be written to if body can, for 101
// Switching Protocols.
func KeepWriter(wrapped, body io.ReadCloser) io.ReadCloser {
	if w, ok := body.(io.Writer); ok {
		return struct {
			io.ReadCloser
			io.Writer
		}{wrapped, w}
	}
	return wrapped
}

// releasingBody is the body of a response that holds something until it is closed.
type releasingBody struct {
	io.ReadCloser
	release func()
}

// Close closes the body and calls release.
func (b *releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
