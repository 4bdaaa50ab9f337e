package robotsext

import (
	"net/url"
	"strings"
)

// A held URL cannot be sent: its scheme has this prefix, which no transport knows. Only the
// gate releases it. A program may set a client or a transport at any moment, so the gate
// cannot be sure that a request will come to it; it is sure that no other transport sends
// a held URL.
const heldPrefix = "robotsext-unchecked-"

// hold holds u unless robots.txt is known to allow it.
func (g *collectorGate) hold(u *url.URL) {
	if u.Scheme == "" || !isCheckedScheme(u.Scheme) {
		return
	}
	if d, known, err := g.robots.decideKnown(u); err == nil && known && d.Verdict == Allowed {
		return
	}
	u.Scheme = heldPrefix + u.Scheme
}

// release makes a held URL sendable again.
func release(u *url.URL) { u.Scheme = schemeOf(u) }

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
