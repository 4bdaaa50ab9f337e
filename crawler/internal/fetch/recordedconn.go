package fetch

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
)

// A recordedConn is a connection of HTTP/1.1 that records the responses as it receives them. It has one request at a
// time.
type recordedConn struct {
	net.Conn

	to atomic.Pointer[received] // the response to the last request
}

// newRecordedConn returns a connection with a recordedConn.
func newRecordedConn(conn net.Conn) net.Conn { return &recordedConn{Conn: conn} }

// Read implements io.Reader.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if to := c.to.Load(); to != nil {
		to.write(p[:n])
	}
	return n, err
}

// A received is a response as it was received. Interim responses before it are left out.
type received struct {
	mu    sync.Mutex // guards the fields below
	head  []byte     // to the empty line
	whole bool       // head is complete
	body  spool
	done  bool // nothing more is recorded
}

// recordFrom returns what a connection receives from now on: nothing, if it is no recordedConn.
func (t *Transport) recordFrom(conn net.Conn) *received {
	r := &received{body: spool{transport: t}}
	if f, ok := conn.(*headerFilter); ok {
		conn = f.Conn
	}
	if c, ok := conn.(*recordedConn); ok {
		c.to.Store(r)
	}
	return r
}

// write records bytes.
func (r *received) write(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(p) > 0 && !r.whole && !r.done {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		r.head, p = append(r.head, p[:n]...), p[n:]
		r.whole = bytes.HasSuffix(r.head, []byte("\n\r\n")) || bytes.HasSuffix(r.head, []byte("\n\n"))
		if r.whole && isInterim(r.head) {
			r.head, r.whole = nil, false
		}
	}
	if !r.done {
		r.body.write(p)
	}
}

// header returns the header without some fields, and whether all of it was received.
func (r *received) header(omit map[string]bool) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.whole || !bytes.HasPrefix(r.head, []byte("HTTP/")) {
		return nil, false
	}
	return omitFields(r.head, omit), true
}

// end returns the body. Nothing more is recorded.
func (r *received) end() *spool {
	r.mu.Lock()
	defer r.mu.Unlock()
	body := r.body
	r.head, r.body, r.done = nil, spool{}, true
	return &body
}

// isInterim reports whether a header is of an interim response.
func isInterim(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	status = bytes.TrimLeft(status, " ")
	return bytes.HasPrefix(status, []byte("1")) && !bytes.HasPrefix(status, []byte("101"))
}
