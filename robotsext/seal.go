package robotsext

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// seal is the context that Attach gives a collector. It is the program's context for as
// long as the gate is in place, and over, with ErrDetached, once the collector's client
// has another transport: then no transport that respects contexts sends a request that
// carries it. A collector that has lost its gate falls silent instead of going on
// unchecked. Where the client cannot be read, the seal is over for everybody but the
// gate, which opens it for requests that may be sent.
type seal struct {
	parent context.Context // the collector's context before
	gate   *collectorGate
	over   chan struct{} // closed
}

func newSeal(parent context.Context, g *collectorGate) *seal {
	over := make(chan struct{})
	close(over)
	return &seal{parent: parent, gate: g, over: over}
}

type sealKey struct{}

// sealOf is the seal that ctx is, or comes from; nil if there is none.
func sealOf(ctx context.Context) *seal {
	s, _ := ctx.Value(sealKey{}).(*seal)
	return s
}

// Deadline is the parent's.
func (s *seal) Deadline() (time.Time, bool) { return s.parent.Deadline() }

// Done is the parent's, or closed without the gate.
func (s *seal) Done() <-chan struct{} {
	if s.gate.inPlace() {
		return s.parent.Done()
	}
	return s.over
}

// Err is the parent's, or ErrDetached without the gate.
func (s *seal) Err() error {
	if s.gate.inPlace() {
		return s.parent.Err()
	}
	return ErrDetached
}

// Value is the parent's, and the seal itself for the gate.
func (s *seal) Value(key any) any {
	if key == (sealKey{}) {
		return s
	}
	return s.parent.Value(key)
}

// open returns a context for sending what was asked for under sealed, a context that comes
// from s. It ends when sealed does, whatever becomes of the gate meanwhile. If sealed is
// over for want of the gate alone, it has the deadline of sealed and ends when s.parent does.
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

// unsealed returns ctx as methods of Robots use it: a collector's goes on while its gate is
// replaced, and what is sent goes through the collector's transport and proxy, unless ctx
// says through which.
func unsealed(ctx context.Context) (opened context.Context, release func()) {
	s := sealOf(ctx)
	if s == nil {
		return ctx, func() {}
	}
	ctx, release = s.open(ctx)
	if ctx.Value(shellKey{}) == nil {
		ctx = context.WithValue(ctx, shellKey{}, s.gate.current())
	}
	return ctx, release
}

// pass sends req, whose context comes from s, past the gate of r through base,
// with the proxy that shell has. That is not always the shell of s.gate: a clone
// made before another Robots was attached still has the seal of the first.
// robots.txt is waited for with the values of the collector's context, as long as the page
// may take: so Options.Transport finds the caller's values, and no trace that colly
// has put on the page's request.
func (s *seal) pass(req *http.Request, r *Robots, shell *shell, base http.RoundTripper) (*http.Response, error) {
	opened, release := s.open(req.Context())
	for _, ctx := range []context.Context{s.parent, opened} {
		if ctx.Err() != nil {
			closeBody(req)
			release()
			return nil, context.Cause(ctx)
		}
	}
	asker, stop := context.WithCancelCause(context.WithValue(s.parent, shellKey{}, shell))
	defer stop(nil)
	defer context.AfterFunc(opened, func() { stop(context.Cause(opened)) })()
	sender := context.WithValue(opened, shellKey{}, shell)
	resp, err := r.pass(asker, sender, req, base)
	if err != nil {
		release()
		return nil, err
	}
	releaseAtClose(resp, release)
	return resp, nil
}

// releaseAtClose has release called when the body of resp is closed.
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

// Close closes the body and releases what was kept for its sake.
func (b releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
