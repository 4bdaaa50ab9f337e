package hook

import (
	"net/url"
	"strings"
	"unsafe"
)

// A held URL cannot be sent: its scheme has this prefix, which no transport of net/http knows.
// Only the gate releases it. A request without the seal may come to another transport than the
// gate, because a program may set a client or transport at any moment. If its URL is held,
// that transport does not send it. The URLs of requests with the seal stay as they are.
const heldPrefix = "robotsext-unchecked-"

// hold holds u unless robots.txt is known to allow it, if requests of the collector may have no
// seal.
func (g *gate) hold(u *url.URL) {
	if !g.mayLackSeal() || u.Scheme == "" || !IsChecked(u.Scheme) || g.hook.host.Allows(u) {
		return
	}
	u.Scheme = heldPrefix + u.Scheme
}

// mayLackSeal reports whether the collector has, or has had, another context than the seal.
func (g *gate) mayLackSeal() bool {
	if !g.unsealed.Load() && !g.private.hasContext(unsafe.Pointer(g.seal.Load())) { //nolint:forbidigo,gosec // to compare, see hasContext
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
