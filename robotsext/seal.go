package robotsext

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// seal is the context that Attach gives a collector. It behaves like the program's
// context while the gate is in place. Once the program replaces the client, it ends with
// ErrDetached. Then transports send none of the collector's requests, instead of sending
// them unchecked. If the client cannot be read, the seal has always ended, and the gate
// replaces it with open for requests that robots.txt allows.
type seal struct {
	parent context.Context // the collector's context at Attach
	gate   *collectorGate
	ended  chan struct{} // always closed
}

func newSeal(parent context.Context, g *collectorGate) *seal {
	ended := make(chan struct{})
	close(ended)
	return &seal{parent: parent, gate: g, ended: ended}
}

type sealKey struct{}

// sealOf returns the seal that ctx is or derives from, or nil.
func sealOf(ctx context.Context) *seal {
	s, _ := ctx.Value(sealKey{}).(*seal)
	return s
}

// Deadline returns the deadline of the parent.
func (s *seal) Deadline() (time.Time, bool) { return s.parent.Deadline() }

// Done returns the channel of the parent, or a closed one without the gate.
func (s *seal) Done() <-chan struct{} {
	if s.gate.isInstalled() {
		return s.parent.Done()
	}
	return s.ended
}

// Err returns the error of the parent, or ErrDetached without the gate.
func (s *seal) Err() error {
	if s.gate.isInstalled() {
		return s.parent.Err()
	}
	return ErrDetached
}

// Value returns the value of the parent, and the seal itself for sealKey.
func (s *seal) Value(key any) any {
	if key == (sealKey{}) {
		return s
	}
	return s.parent.Value(key)
}

// open returns a context for a request of sealed, a context that derives from s. It ends
// when sealed ends, but does not depend on the gate. If sealed has ended only because the
// gate is missing, it keeps the deadline and ends when s.parent ends.
func (s *seal) open(sealed context.Context) (ctx context.Context, release func()) {
	if !errors.Is(sealed.Err(), ErrDetached) {
		ctx, cancel := context.WithCancel(sealed)
		return ctx, cancel
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(sealed))
	stop := context.AfterFunc(s.parent, func() { cancel(context.Cause(s.parent)) })
	expire := func() {}
	if deadline, ok := sealed.Deadline(); ok {
		ctx, expire = context.WithDeadline(ctx, deadline)
	}
	return ctx, func() {
		stop()
		expire()
		cancel(nil)
	}
}

// unsealed returns the context that methods of Robots use for ctx. The context of a
// collector does not end while its gate is missing. Its requests use the collector's
// transport and proxy, unless ctx has another shell.
func unsealed(ctx context.Context) (opened context.Context, release func()) {
	s := sealOf(ctx)
	if s == nil {
		return ctx, func() {}
	}
	ctx, release = s.open(ctx)
	if ctx.Value(shellKey{}) == nil {
		if s.gate.client.known() {
			s.gate.restore("http") // no request of the collector may have followed WithTransport
		}
		ctx = context.WithValue(ctx, shellKey{}, s.gate.current())
	}
	return ctx, release
}

// pass checks req with r and sends it through base and the proxy of shell. The context
// of req derives from s. Shell is not always that of s.gate: a clone that was made before
// another Robots was attached still has the seal of the first.
//
// The check has the values of the collector's context, so that Options.Transport finds
// them, without the trace that colly adds to the request. It ends with the context of the
// request.
func (s *seal) pass(req *http.Request, r *Robots, shell *shell, base http.RoundTripper) (*http.Response, error) {
	opened, release := s.open(req.Context())
	for _, ctx := range []context.Context{s.parent, opened} {
		if ctx.Err() != nil {
			closeBody(req)
			release()
			return nil, context.Cause(ctx)
		}
	}
	checkCtx, stop := context.WithCancelCause(context.WithValue(s.parent, shellKey{}, shell))
	defer stop(nil)
	defer context.AfterFunc(opened, func() { stop(context.Cause(opened)) })()
	sendCtx := context.WithValue(opened, shellKey{}, shell)
	resp, err := r.pass(checkCtx, sendCtx, req, base)
	if err != nil {
		release()
		return nil, err
	}
	releaseAtClose(resp, release)
	return resp, nil
}

// releaseAtClose calls release when the body of resp is closed.
func releaseAtClose(resp *http.Response, release func()) {
	body := releasingBody{resp.Body, release}
	if w, ok := resp.Body.(io.Writer); ok { // 101 Switching Protocols
		resp.Body = struct {
			releasingBody
			io.Writer
		}{body, w}
		return
	}
	resp.Body = body
}

type releasingBody struct {
	io.ReadCloser
	release func()
}

// Close closes the body and calls release.
func (b releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
