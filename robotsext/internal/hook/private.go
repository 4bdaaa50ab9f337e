package hook

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/gocolly/colly/v2"
)

// private is a *colly.Collector with access to its private fields.
type private struct {
	collector *colly.Collector
	pointer   *unsafe.Pointer // to the *http.Client; nil if it cannot be read in this version of colly
}

// privateOf returns c with its private fields. It knows colly v2.1.0 to v2.3.0.
func privateOf(c *colly.Collector) private {
	backend := reflect.ValueOf(c).Elem().FieldByName("backend")
	if backend.Kind() != reflect.Pointer || backend.IsNil() || backend.Elem().Kind() != reflect.Struct {
		return private{collector: c}
	}
	field := backend.Elem().FieldByName("Client")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*http.Client]() || field.IsNil() {
		return private{collector: c}
	}
	return private{c, (*unsafe.Pointer)(field.Addr().UnsafePointer())}
}

// known reports whether the client can be read. Otherwise only context and onSend may be called.
func (c private) known() bool { return c.pointer != nil }

// client returns the client of the collector and its clones.
func (c private) client() *http.Client { return (*http.Client)(*c.pointer) }

// setClient gives the collector and its clones a copy of client, and returns the copy. A request
// that starts at the same time finds the old client or the complete new one: all fields of the
// copy are written before the pointer to it. SetClient of colly would be seen by the race
// detector, because colly reads the pointer for its own request for robots.txt. All other
// shared data is older or guarded by the locks of the caller.
//
//go:norace
func (c private) setClient(client http.Client) *http.Client {
	adopted := new(http.Client)
	*adopted = client
	published.Add(1)
	*c.pointer = unsafe.Pointer(adopted)
	return adopted
}

// published is a memory barrier between writing the fields of a client and the pointer to it.
var published atomic.Int32

// replaced reports whether the collector has another client than client. It may be called while
// the program sets a client: it reads one pointer only, which is never half written.
//
//go:norace
func (c private) replaced(client *http.Client) bool { return *c.pointer != unsafe.Pointer(client) }

// setTransport sets the transport of a client that setClient has returned. A request calls
// the cookie jar, which takes the caller's lock, before it uses the transport. net/http reads
// the client once before that, only to panic if it is nil.
//
//go:norace
func (c private) setTransport(client *http.Client, t http.RoundTripper) { client.Transport = t }

// context returns the field Context; nil in colly before v2.2.0, which has none.
func (c private) context() *context.Context {
	field := reflect.ValueOf(c.collector).Elem().FieldByName("Context")
	if !field.IsValid() || field.Type() != reflect.TypeFor[context.Context]() {
		return nil
	}
	return field.Addr().Interface().(*context.Context)
}

// hasContext reports whether the field Context holds the pointer p. It may be called while the
// program sets a context: of the two words of an interface, it reads the second only.
//
//go:norace
func (c private) hasContext(p unsafe.Pointer) bool {
	ctx := c.context()
	return ctx != nil && (*[2]unsafe.Pointer)(unsafe.Pointer(ctx))[1] == p
}

// onSend calls f right before the collector sends a request for a page: after OnRequest and the
// wait of a LimitRule, before the timeout starts, and not for a page of CacheDir. Colly before
// v2.3.0 cannot do that; onSend then returns false.
func (c private) onSend(f colly.RequestCallback) bool {
	collector, ok := any(c.collector).(interface{ OnRequestHeaders(f colly.RequestCallback) })
	if ok {
		collector.OnRequestHeaders(f)
	}
	return ok
}

// insideClient reports whether an http.Client has called the caller, on behalf of a request, in
// the same goroutine and not more than 64 calls ago.
func insideClient() bool {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		frame, more := frames.Next()
		if frame.Function == "net/http.(*Client).do" {
			return true
		}
		if !more {
			return false
		}
	}
}
