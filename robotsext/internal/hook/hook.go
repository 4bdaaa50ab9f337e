// Package hook reads and replaces what a colly collector keeps private. README.md says
// which methods of colly would replace it.
package hook

import (
	"context"
	"net/http"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gocolly/colly/v2"
)

// A Collector is a *colly.Collector with access to its private fields.
type Collector interface {
	// Client returns the client of the collector and its clones; nil: it cannot be read in this
	// version of colly.
	Client() *http.Client

	// SetClient gives the collector and its clones a copy of client, and returns the copy. A
	// request that starts at the same time finds the old client or the complete new one.
	SetClient(client http.Client) *http.Client

	// Replaced reports whether the collector has another client than client. It may be called
	// while the program sets a client.
	Replaced(client *http.Client) bool

	// Context returns the field Context; nil in colly before v2.2.0, which has none.
	Context() *context.Context

	// OnSend calls f right before the collector sends a request for a page. Colly before v2.3.0
	// cannot do that, and f is never called.
	OnSend(f colly.RequestCallback)
}

// Of returns c as a Collector. It knows colly v2.1.0 to v2.3.0.
func Of(c *colly.Collector) Collector {
	if field := clientField(c); field != nil {
		return &known{unknown{c}, field}
	}
	return &unknown{c}
}

// clientField returns the address of the field httpBackend.Client of c, by its name and type;
// nil: there is no such field.
func clientField(c *colly.Collector) *unsafe.Pointer {
	backend := reflect.ValueOf(c).Elem().FieldByName("backend")
	if backend.Kind() != reflect.Pointer || backend.IsNil() || backend.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := backend.Elem().FieldByName("Client")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*http.Client]() || field.IsNil() {
		return nil
	}
	return (*unsafe.Pointer)(field.Addr().UnsafePointer())
}

// unknown is a collector whose client cannot be read.
type unknown struct{ collector *colly.Collector }

// Client returns nil.
func (c *unknown) Client() *http.Client { return nil }

// SetClient sets a copy of client.
func (c *unknown) SetClient(client http.Client) *http.Client {
	c.collector.SetClient(&client)
	return &client
}

// Replaced returns false, because the client cannot be read.
func (c *unknown) Replaced(*http.Client) bool { return false }

// Context finds the field by its name and type.
func (c *unknown) Context() *context.Context {
	field := reflect.ValueOf(c.collector).Elem().FieldByName("Context")
	if !field.IsValid() || field.Type() != reflect.TypeFor[context.Context]() {
		return nil
	}
	return field.Addr().Interface().(*context.Context)
}

// OnSend calls OnRequestHeaders, if there is one.
func (c *unknown) OnSend(f colly.RequestCallback) {
	if c, ok := any(c.collector).(interface{ OnRequestHeaders(f colly.RequestCallback) }); ok {
		c.OnRequestHeaders(f)
	}
}

// known is a collector whose client can be read.
type known struct {
	unknown
	client *unsafe.Pointer // *http.Client
}

// Client returns the client.
func (c *known) Client() *http.Client { return (*http.Client)(*c.client) }

// SetClient writes all fields of the copy before the pointer to it. SetClient of colly would
// be seen by the race detector: colly reads the pointer for its own request for robots.txt.
// All other shared data is older or guarded by the locks of the caller.
//
//go:norace
func (c *known) SetClient(client http.Client) *http.Client {
	adopted := new(http.Client)
	*adopted = client
	published.Add(1)
	*c.client = unsafe.Pointer(adopted)
	return adopted
}

// published is a memory barrier between writing the fields of a client and the pointer to it.
var published atomic.Int32

// Replaced reads one pointer only, which is never half written.
//
//go:norace
func (c *known) Replaced(client *http.Client) bool { return *c.client != unsafe.Pointer(client) }

// SetTransport sets the transport of a client that SetClient has returned. A request calls
// the cookie jar, which takes the caller's lock, before it uses the transport. net/http reads
// the client once before that, only to panic if it is nil.
//
//go:norace
func SetTransport(client *http.Client, t http.RoundTripper) { client.Transport = t }
