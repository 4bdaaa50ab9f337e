package hook

import (
	"net/http"
	"net/url"
	"time"
)

// watchedJar is the cookie jar of a collector's client. For every request, net/http reads
// the cookies before the transport: for pages, redirects, clones, and colly's own request
// for robots.txt. So the jar can adopt a transport that was set after Attach before the
// transport sends a request.
type watchedJar struct{ gate *gate }

// Cookies installs the gate and returns the cookies of the program's jar. A transport that is
// set from now on does not send u unless robots.txt allows it.
func (j *watchedJar) Cookies(u *url.URL) (cookies []*http.Cookie) {
	jar := j.gate.adoptTransport(schemeOf(u))
	if jar != nil {
		cookies = jar.Cookies(released(u))
	}
	j.gate.hold(u)
	return cookies
}

// SetCookies passes cookies to the program's jar.
func (j *watchedJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	if jar := j.programJar(); jar != nil {
		jar.SetCookies(u, cookies)
	}
}

// programJar returns the jar that the program has set; nil if cookies are disabled.
func (j *watchedJar) programJar() http.CookieJar {
	j.gate.mu.Lock()
	defer j.gate.mu.Unlock()
	return j.gate.jar
}

// install wraps the collector's transport in the gate.
func (g *gate) install() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.private.known() {
		g.hook.collyWarning.Do(func() {
			g.hook.Log.WarnContext(g.parent, "robotsext does not know this version of colly: a transport, client or proxy that was set on a collector before Attach is not used, and one set after it stops the collector; set robotsext.Options.Transport instead")
		})
		if g.shell == nil {
			g.newShell(nil)
		}
		g.collector.WithTransport(g.shell.front)
		return
	}
	client := g.private.client()
	switch s := g.shellOf(client.Transport); {
	case s != nil && s.gate.hook == g.hook && g.isWatched(client):
	case g.shell == nil:
		g.adoptClient(client)
		g.watch(firstWatch, false)
	default:
		g.swapped.Store(true)
		g.adoptClient(client)
	}
}

// The program's client is looked at from firstWatch after Attach, less and less often. A
// replaced client is looked at again after secondWatch: Attach may follow right after SetClient.
const (
	firstWatch  = 100 * time.Microsecond
	secondWatch = 500 * time.Microsecond
	lastWatch   = time.Minute
)

// watch logs if the program replaces the client after the set-up. If colly itself cannot parse
// the robots.txt of a site, it refuses every URL of it before a function of robotsext is called.
func (g *gate) watch(after time.Duration, replaced bool) {
	time.AfterFunc(after, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		switch {
		case g.retired:
		case !g.private.replaced(g.adopted):
			if after < lastWatch {
				g.watch(2*after, false)
			}
		case replaced:
			g.swapped.Store(true)
			g.warnLost()
		default:
			g.watch(secondWatch, true)
		}
	})
}

// isWatched reports whether the gate can detect a transport that is set on client. The
// caller holds g.mu.
func (g *gate) isWatched(client *http.Client) bool {
	jar, ok := client.Jar.(*watchedJar)
	return ok && jar.gate == g && client == g.adopted
}

// restore adopts a transport, client or cookie jar that the program has set since the gate
// was installed, and installs the gate again. It runs before each request of the
// collector, but after colly's own request for robots.txt, which a new client sends
// undetected.
func (g *gate) restore(scheme string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return
	}
	client := g.private.client()
	s := g.shellOf(client.Transport)
	_, watched := client.Jar.(*watchedJar)
	switch {
	case s != nil && (watched || s.gate != g):
	case g.isWatched(client):
		s = g.replaceTransport()
	default:
		g.swapped.Store(true)
		if s == nil {
			g.warnLost()
		}
		s = g.adoptClient(client)
	}
	s.register(scheme)
}

// adoptTransport wraps the transport of the adopted client in the gate again if necessary,
// and returns the program's cookie jar.
func (g *gate) adoptTransport(scheme string) http.CookieJar {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shellOf(g.adopted.Transport)
	if s == nil {
		s = g.replaceTransport()
	}
	s.register(scheme)
	return g.jar
}

// replaceTransport wraps the transport of the adopted client in a new shell. The caller
// holds g.mu.
func (g *gate) replaceTransport() *shell {
	g.swapped.Store(true)
	s := g.newShell(g.adopted.Transport)
	g.private.setTransport(g.adopted, s.front)
	return s
}

// adoptClient gives the collector a copy of client whose transport is wrapped in the gate.
// It does not change the program's client, which may be used elsewhere. The caller holds
// g.mu.
func (g *gate) adoptClient(client *http.Client) *shell {
	copied := *client
	switch jar := client.Jar.(type) {
	case *watchedJar:
		if jar.gate != g {
			g.jar = jar.programJar()
		}
	default:
		g.jar = jar
	}
	s := g.newShell(client.Transport)
	copied.Transport, copied.Jar = s.front, &g.watched
	g.adopted = g.private.setClient(copied)
	return s
}

// mayBypass reports whether a request of the collector may not pass a gate. That is so from
// the first time that the program replaces the client or transport: another request may have
// read it before the gate adopts it.
func (g *gate) mayBypass() bool {
	if !g.private.known() || g.swapped.Load() {
		return true // an unknown client may be replaced at any time
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	client := g.private.client()
	if g.shellOf(client.Transport) != nil {
		return false
	}
	g.swapped.Store(true)
	if !g.isWatched(client) {
		g.warnLost()
	}
	return true
}

// warnLost logs once that the program has replaced the collector's client. The caller holds
// g.mu, and has set swapped, so that a log handler may use the context of the collector.
func (g *gate) warnLost() {
	if g.lostLogged {
		return
	}
	g.lostLogged = true
	clones := "send nothing"
	if g.private.context() == nil {
		clones = "send pages unchecked"
	}
	g.hook.Log.WarnContext(g.parent, "the client of a collector was replaced after robotsext.Attach: until the next request of the collector, colly itself checks robots.txt, and refuses every URL of a site whose robots.txt it cannot parse; clones "+clones+"; call Attach again after SetClient, or after setting a cookie jar and a transport")
}

// contextReplaced reports whether the program has replaced the context from Attach.
func (g *gate) contextReplaced() bool {
	ctx := g.private.context()
	return ctx != nil && sealOf(*ctx) == nil
}
