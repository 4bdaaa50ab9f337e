package robotsext

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"sync/atomic"

	"github.com/gocolly/colly/v2"
)

// collectorClient reads the http.Client of a collector, which colly keeps to
// itself and whose transport a program may set before Attach and after it.
type collectorClient struct {
	field reflect.Value //nolint:forbidigo // httpBackend.Client, a *http.Client; not valid where colly has no such field
}

// clientOf finds the field by its name and type, which are those of colly v2.1.0 to
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

// get returns the client that the collector has now. Call it only where known.
func (c collectorClient) get() *http.Client {
	return (*http.Client)(c.field.UnsafePointer()) //nolint:forbidigo // as in clientOf
}

// set gives the collector a copy of client, and returns it. colly may read the field at the
// same time, for its own request for robots.txt. It finds the old client or the new one, and
// either is complete: the fields of the copy are written before the pointer, and what they
// refer to is older than both or guarded by the gate's lock. Requests for pages find the new
// one, since OnRequest takes that lock.
//
//go:norace
func (c collectorClient) set(client http.Client) *http.Client {
	adopted := new(http.Client)
	*adopted = client
	published.Add(1)
	*(**http.Client)(c.field.Addr().UnsafePointer()) = adopted //nolint:forbidigo // SetClient would be seen by the race detector
	return adopted
}

// published is a barrier between the fields of a client and the pointer to it.
var published atomic.Int32

// setTransport sets the transport of a client whose jar is a watchedJar. A request reads the
// transport after it has asked the jar, which takes the gate's lock. Before that, net/http
// reads the client as a whole to fail early if it is nil, and uses nothing of it.
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

// watchedJar is the cookie jar of a collector's client. net/http asks a client's jar
// for cookies before it reads the client's transport, for every request: pages,
// redirects, those of clones, and colly's own request for robots.txt. So this is where
// a transport that was set after Attach is adopted before anything is sent by it.
type watchedJar struct{ gate *collectorGate }

// Cookies returns those of the program's jar, with the gate in place.
func (j *watchedJar) Cookies(u *url.URL) []*http.Cookie {
	if jar := j.gate.adoptTransport(u.Scheme); jar != nil {
		return jar.Cookies(u)
	}
	return nil
}

// SetCookies hands cookies on to the program's jar.
func (j *watchedJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	if jar := j.programs(); jar != nil {
		jar.SetCookies(u, cookies)
	}
}

// programs returns the jar that the program has set; nil if cookies are disabled.
func (j *watchedJar) programs() http.CookieJar {
	j.gate.mu.Lock()
	defer j.gate.mu.Unlock()
	return j.gate.jar
}

// install puts the gate before the transport that the collector has.
func (g *collectorGate) install() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.client.known() {
		g.robots.unread.Do(func() {
			g.robots.log.WarnContext(g.parent, "robotsext does not know this version of colly: a transport, client or proxy that was set on a collector before Attach is not used, and one set after it stops the collector; set robotsext.Options.Transport instead")
		})
		if g.shell == nil {
			g.newShell(nil)
		}
		g.collector.WithTransport(g.shell.front)
		return
	}
	client := g.client.get()
	if s := shellOf(client.Transport); s == nil || s.gate.robots != g.robots || !g.watches(client) {
		g.adoptClient(client)
	}
}

// watches reports whether a transport that is set on client is noticed. The caller holds
// g.mu.
func (g *collectorGate) watches(client *http.Client) bool {
	jar, ok := client.Jar.(*watchedJar)
	return ok && jar.gate == g && client == g.adopted
}

// keep adopts the transport, client or cookie jar that the program has set since the gate
// was put in place, and puts the gate back. It runs before each request of the collector,
// but after colly's own request for robots.txt, which a new client sends unseen.
func (g *collectorGate) keep(scheme string) {
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
	case g.watches(client):
		s = g.replaceTransport()
	default:
		if s == nil {
			g.warnLost()
		}
		s = g.adoptClient(client)
	}
	s.serve(scheme)
}

// adoptTransport puts the gate back before the transport of the adopted client, and returns
// the program's cookie jar.
func (g *collectorGate) adoptTransport(scheme string) http.CookieJar {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := shellOf(g.adopted.Transport)
	if s == nil {
		s = g.replaceTransport()
	}
	s.serve(scheme)
	return g.jar
}

// replaceTransport makes the transport of the adopted client the base of a new shell in its
// place. The caller holds g.mu.
func (g *collectorGate) replaceTransport() *shell {
	s := g.newShell(g.adopted.Transport)
	setTransport(g.adopted, s.front)
	return s
}

// adoptClient gives the collector a copy of client with the gate before its transport.
// The program's client stays as it is: it may be in use elsewhere. The caller holds g.mu.
func (g *collectorGate) adoptClient(client *http.Client) *shell {
	copied := *client
	switch jar := client.Jar.(type) {
	case *watchedJar:
		if jar.gate != g {
			g.jar = jar.programs()
		}
	default:
		g.jar = jar
	}
	s := g.newShell(client.Transport)
	copied.Transport, copied.Jar = s.front, &g.watched
	g.adopted = g.client.set(copied)
	return s
}

// inPlace reports whether the collector's requests lead to a gate. It logs once that
// they do not.
func (g *collectorGate) inPlace() bool {
	if !g.client.known() {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	client := g.client.get()
	if g.watches(client) || shellOf(client.Transport) != nil {
		return true
	}
	g.warnLost()
	return false
}

// warnLost logs once that the collector has a client that Attach has not seen. The caller
// holds g.mu.
func (g *collectorGate) warnLost() {
	if g.lost {
		return
	}
	g.lost = true
	clones := "send nothing"
	if contextOf(g.collector) == nil {
		clones = "send pages unchecked"
	}
	g.robots.log.WarnContext(g.parent, "a collector has another client than robotsext.Attach gave it: until a request of the collector puts the gate back, colly obeys its own reading of robots.txt, and clones "+clones+"; call Attach again after SetClient, or after a new cookie jar and transport")
}

// unsealed reports whether the collector's context is another than Attach gave it.
func (g *collectorGate) unsealed() bool {
	ctx := contextOf(g.collector)
	return ctx != nil && sealOf(*ctx) == nil
}
