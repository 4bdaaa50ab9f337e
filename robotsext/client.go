package robotsext

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// collectorClient reads and replaces the http.Client of a collector, for which colly has
// no getter.
type collectorClient struct {
	field reflect.Value //nolint:forbidigo // httpBackend.Client, a *http.Client; not valid where colly has no such field
}

// clientOf finds the field by its name and type, which are the same in colly v2.1.0 to
// v2.3.0.
//
//nolint:forbidigo // colly has methods that set the client and none that returns it
func clientOf(c *colly.Collector) collectorClient {
	backend := reflect.ValueOf(c).Elem().FieldByName("backend")
	if backend.Kind() != reflect.Pointer || backend.IsNil() || backend.Elem().Kind() != reflect.Struct {
		return collectorClient{}
	}
	field := backend.Elem().FieldByName("Client")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*http.Client]() || field.IsNil() {
		return collectorClient{}
	}
	return collectorClient{field}
}

// known reports whether the client can be read.
func (c collectorClient) known() bool { return c.field.IsValid() } //nolint:forbidigo // as in clientOf

// get returns the current client of the collector. Call it only if known.
func (c collectorClient) get() *http.Client {
	return (*http.Client)(c.field.UnsafePointer()) //nolint:forbidigo // as in clientOf
}

// set gives the collector a copy of client and returns the copy. colly may read the field
// at the same time, for its own request for robots.txt. It finds the old client or the
// complete new one, because the fields of the copy are written before the pointer. All
// other shared data is older or guarded by the gate's lock. Requests for pages find the
// new client, because OnRequest takes that lock.
//
//go:norace
func (c collectorClient) set(client http.Client) *http.Client {
	adopted := new(http.Client)
	*adopted = client
	published.Add(1)
	*(**http.Client)(c.field.Addr().UnsafePointer()) = adopted //nolint:forbidigo // SetClient would be seen by the race detector
	return adopted
}

// published is a memory barrier between writing the fields of a client and the pointer to it.
var published atomic.Int32

// setTransport sets the transport of a client whose jar is a watchedJar. A request calls
// the jar, which takes the gate's lock, before it uses the transport. net/http reads the
// client once before that, only to panic if it is nil.
//
//go:norace
func setTransport(client *http.Client, t http.RoundTripper) { client.Transport = t }

// contextOf returns the field Context of c; nil in colly before v2.2.0, which has none.
//
//nolint:forbidigo // so that a program with an older colly still builds
func contextOf(c *colly.Collector) *context.Context {
	field := reflect.ValueOf(c).Elem().FieldByName("Context")
	if !field.IsValid() || field.Type() != reflect.TypeFor[context.Context]() {
		return nil
	}
	return field.Addr().Interface().(*context.Context)
}

// watchedJar is the cookie jar of a collector's client. For every request, net/http reads
// the cookies before the transport: for pages, redirects, clones, and colly's own request
// for robots.txt. So the jar can adopt a transport that was set after Attach before the
// transport sends a request.
type watchedJar struct{ gate *collectorGate }

// Cookies installs the gate and returns the cookies of the program's jar.
func (j *watchedJar) Cookies(u *url.URL) []*http.Cookie {
	if jar := j.gate.adoptTransport(u.Scheme); jar != nil {
		return jar.Cookies(u)
	}
	return nil
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
func (g *collectorGate) install() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.client.known() {
		g.robots.collyWarning.Do(func() {
			g.robots.log.WarnContext(g.parent, "robotsext does not know this version of colly: a transport, client or proxy that was set on a collector before Attach is not used, and one set after it stops the collector; set robotsext.Options.Transport instead")
		})
		if g.shell == nil {
			g.newShell(nil)
		}
		g.collector.WithTransport(g.shell.front)
		return
	}
	client := g.client.get()
	if s := shellOf(client.Transport); s == nil || s.gate.robots != g.robots || !g.isWatched(client) {
		g.adoptClient(client)
	}
}

// isWatched reports whether the gate can detect a transport that is set on client. The
// caller holds g.mu.
func (g *collectorGate) isWatched(client *http.Client) bool {
	jar, ok := client.Jar.(*watchedJar)
	return ok && jar.gate == g && client == g.adopted
}

// restore adopts a transport, client or cookie jar that the program has set since the gate
// was installed, and installs the gate again. It runs before each request of the
// collector, but after colly's own request for robots.txt, which a new client sends
// undetected.
func (g *collectorGate) restore(scheme string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.retired {
		return
	}
	client := g.client.get()
	s := shellOf(client.Transport)
	_, watched := client.Jar.(*watchedJar)
	switch {
	case s != nil && (watched || s.gate != g):
	case g.isWatched(client):
		s = g.replaceTransport()
	default:
		if s == nil {
			g.warnLost()
		}
		s = g.adoptClient(client)
	}
	s.register(scheme)
}

// adoptTransport wraps the transport of the adopted client in the gate again if necessary,
// and returns the program's cookie jar.
func (g *collectorGate) adoptTransport(scheme string) http.CookieJar {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := shellOf(g.adopted.Transport)
	if s == nil {
		s = g.replaceTransport()
	}
	s.register(scheme)
	return g.jar
}

// replaceTransport wraps the transport of the adopted client in a new shell. The caller
// holds g.mu.
func (g *collectorGate) replaceTransport() *shell {
	s := g.newShell(g.adopted.Transport)
	setTransport(g.adopted, s.front)
	return s
}

// adoptClient gives the collector a copy of client whose transport is wrapped in the gate.
// It does not change the program's client, which may be used elsewhere. The caller holds
// g.mu.
func (g *collectorGate) adoptClient(client *http.Client) *shell {
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
	g.adopted = g.client.set(copied)
	return s
}

// isInstalled reports whether the collector's requests pass a gate. If not, it logs this
// once.
func (g *collectorGate) isInstalled() bool {
	if !g.client.known() {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	client := g.client.get()
	if g.isWatched(client) || shellOf(client.Transport) != nil {
		return true
	}
	g.warnLost()
	return false
}

// warnLost logs once that the program has replaced the collector's client. The caller holds
// g.mu.
func (g *collectorGate) warnLost() {
	if g.lostLogged {
		return
	}
	g.lostLogged = true
	clones := "send nothing"
	if contextOf(g.collector) == nil {
		clones = "send pages unchecked"
	}
	g.robots.log.WarnContext(g.parent, "the client of a collector was replaced after robotsext.Attach: until the next request of the collector, colly itself checks robots.txt, and clones "+clones+"; call Attach again after SetClient, or after setting a cookie jar and a transport")
}

// contextReplaced reports whether the program has replaced the context from Attach.
func (g *collectorGate) contextReplaced() bool {
	ctx := contextOf(g.collector)
	return ctx != nil && sealOf(*ctx) == nil
}
