package hook

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"
	"unsafe"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
)

// seal is the context that Attach gives a collector. For the program it is the context before
// Attach. A request may bypass the gate if the program has replaced the client or transport.
// For it, the context has always ended with ErrDetached, so no transport sends the request.
// The gate replaces the seal with open for requests that robots.txt allows.
type seal struct {
	parent context.Context // the collector's context at Attach
	gate   *gate
	ended  chan struct{} // always closed
}

func newSeal(parent context.Context, g *gate) *seal {
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

// The program may call the methods too, as those of c.Context, and must not find that the seal
// has ended.

// Done returns the channel of the parent, or a closed one for a request that may bypass the gate.
func (s *seal) Done() <-chan struct{} {
	if s.gate.mayBypass() && insideClient() {
		return s.ended
	}
	return s.parent.Done()
}

// Err returns the error of the parent, or ErrDetached for a request that may bypass the gate.
func (s *seal) Err() error {
	if s.gate.mayBypass() && insideClient() {
		return ErrDetached
	}
	return s.parent.Err()
}

// Value returns the value of the parent, and the seal itself for sealKey.
func (s *seal) Value(key any) any {
	if key == (sealKey{}) {
		return s
	}
	return s.parent.Value(key)
}

// open returns a context for a request of sealed, a context that derives from s, that does not
// depend on the gate. If sealed has ended only because the request may bypass the gate, the
// context keeps the deadline and ends when s.parent ends.
func (s *seal) open(sealed context.Context) (ctx context.Context, release func()) {
	if sealed.Err() == nil && sealed.Done() != s.Done() {
		return sealed, nil // it has a deadline of its own, and has asked the seal before
	}
	if err := sealed.Err(); err != nil && !errors.Is(err, ErrDetached) {
		return sealed, nil
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

// pass checks req with host and sends it through base and the proxy of shell. The context
// of req derives from s. Shell is not always that of s.gate: a clone that was made before
// another Hook was attached still has the seal of the first.
func (s *seal) pass(req *http.Request, checker Checker, shell *shell, base http.RoundTripper) (*http.Response, error) {
	opened, release := s.open(req.Context())
	for _, ctx := range []context.Context{s.parent, opened} {
		if ctx.Err() != nil {
			roundtrip.CloseBody(req)
			if release != nil {
				release()
			}
			return nil, context.Cause(ctx)
		}
	}
	resp, err := checker.Pass(&checkContext{opened, s.parent, shell}, context.WithValue(opened, shellKey{}, shell), req, base)
	switch {
	case release == nil:
	case err != nil:
		release()
	default:
		resp.Body = roundtrip.OnClose(resp.Body, release)
	}
	return resp, err
}

// checkContext is the context in which a request of a collector is checked. It has the values
// of the collector's context, so that Options.Transport finds them, without the trace that
// colly adds to the request. It ends with the context of the request.
type checkContext struct {
	context.Context                 // of the request
	parent          context.Context // of the collector
	shell           *shell
}

// Value returns the value of the request, but not its trace.
func (c *checkContext) Value(key any) any {
	if key == (shellKey{}) {
		return c.shell
	}
	v := c.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return c.parent.Value(key)
	}
	return v
}

// heldPrefix is the prefix of the scheme of a held URL, which no transport of net/http knows. Only
// the gate releases it. A request without the seal may come to another transport than the gate,
// because a program may set a client or transport at any moment. If its URL is held, that transport
// does not send it. The URLs of requests with the seal stay as they are.
const heldPrefix = "robotsext-unchecked-"

// hold holds u unless robots.txt is known to allow it, if requests of the collector may have no
// seal.
func (g *gate) hold(u *url.URL) {
	if !g.mayLackSeal() || u.Scheme == "" || !IsChecked(u.Scheme) || g.hook.checker.Allows(u) {
		return
	}
	u.Scheme = heldPrefix + u.Scheme
}

// mayLackSeal reports whether the collector has, or has had, another context than the seal.
func (g *gate) mayLackSeal() bool {
	if !g.unsealed.Load() && !g.private.hasContext(unsafe.Pointer(g.seal.Load())) {
		g.unsealed.Store(true)
	}
	return g.unsealed.Load()
}

// release makes a held URL sendable again.
func release(u *url.URL) {
	if scheme := schemeOf(u); scheme != u.Scheme {
		u.Scheme = scheme
	}
}

// released returns u, or a copy of a held u that is released.
func released(u *url.URL) *url.URL {
	if !strings.HasPrefix(u.Scheme, heldPrefix) {
		return u
	}
	c := *u
	release(&c)
	return &c
}

// schemeOf returns the scheme of u, held or not.
func schemeOf(u *url.URL) string { return strings.TrimPrefix(u.Scheme, heldPrefix) }
