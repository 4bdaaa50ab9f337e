package robotsext

import (
	"context"
	"net/http"
	"net/url"
	"reflect"

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

// set gives the collector another client. colly reads the field for its own request for
// robots.txt, which may run beside this: it finds the client before or the one after, a
// word either way. Pages find the one after, having passed OnRequest and its lock.
//
//go:norace
func (c collectorClient) set(client *http.Client) {
	*(**http.Client)(c.field.Addr().UnsafePointer()) = client //nolint:forbidigo // SetClient would be seen by the race detector
}

// setTransport sets the transport of a client whose jar is a watchedJar. Whoever uses the
// transport has passed the jar and its lock; before that, net/http reads the whole client
// and throws it away, in order to fail early where it is nil.
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
type watchedJar struct {
	jar    http.CookieJar // the program's; nil if cookies are disabled
	gate   *collectorGate
	client *http.Client // whose jar this is
}

// Cookies returns those of the program's jar, with the gate in place.
func (j *watchedJar) Cookies(u *url.URL) []*http.Cookie {
	j.gate.adoptTransport(j.client, u.Scheme)
	if j.jar == nil {
		return nil
	}
	return j.jar.Cookies(u)
}

// SetCookies hands cookies on to the program's jar.
func (j *watchedJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	if j.jar != nil {
		j.jar.SetCookies(u, cookies)
	}
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
	jar, watched := client.Jar.(*watchedJar)
	if s := shellOf(client.Transport); s == nil || s.gate.robots != g.robots || !watched || jar.client != client {
		g.adoptClient(client)
	}
}

// keep adopts the transport or client that the program has set since the gate was put
// in place, and puts the gate back. It runs before each request of the collector, but
// after colly's own request for robots.txt, which a new client sends unseen.
func (g *collectorGate) keep(scheme string) {
	client := g.client.get()
	if jar, ok := client.Jar.(*watchedJar); ok && jar.client == client {
		g.adoptTransport(client, scheme)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	client = g.client.get() // another request may have been faster
	s := shellOf(client.Transport)
	if s == nil {
		s = g.adoptClient(client)
	}
	s.serve(scheme)
}

// adoptTransport makes the transport of client, which is a copy of ours, the base of a
// new shell in its place, unless a shell is there already.
func (g *collectorGate) adoptTransport(client *http.Client, scheme string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := shellOf(client.Transport)
	if s == nil {
		s = g.newShell(client.Transport)
		setTransport(client, s.front)
	}
	s.serve(scheme)
}

// adoptClient gives the collector a copy of client with the gate before its transport.
// The program's client stays as it is: it may be in use elsewhere.
func (g *collectorGate) adoptClient(client *http.Client) *shell {
	adopted := *client
	s := g.newShell(client.Transport)
	adopted.Transport = s.front
	if old, ok := client.Jar.(*watchedJar); ok {
		adopted.Jar = old.jar
	}
	adopted.Jar = &watchedJar{jar: adopted.Jar, gate: g, client: &adopted}
	g.client.set(&adopted)
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
	if jar, ok := client.Jar.(*watchedJar); ok && jar.client == client || shellOf(client.Transport) != nil {
		return true
	}
	if !g.lost {
		g.lost = true
		g.robots.log.WarnContext(g.parent, "a collector has another client than robotsext.Attach gave it: its next request puts the gate back, but clones send nothing until then; call Attach again after SetClient")
	}
	return false
}

// unsealed reports whether the collector's context is another than Attach gave it.
func (g *collectorGate) unsealed() bool {
	ctx := contextOf(g.collector)
	return ctx != nil && sealOf(*ctx) == nil
}
