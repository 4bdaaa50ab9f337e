package fetch

import (
	"net"
	"regexp"
	"sync"
	"sync/atomic"
)

// A recordedConn is a connection of HTTP/1.1 that records what it sends and receives. It has one request at a time:
// all bytes belong to the last one.
type recordedConn struct {
	net.Conn

	last atomic.Pointer[capture]
}

// newRecordedConn returns a connection with a recordedConn.
func newRecordedConn(conn net.Conn) net.Conn {
	r := &recordedConn{Conn: conn}
	captureFrom(r)
	return r
}

// A capture has the bytes of a request and its response. The next request may begin before the body of the response is
// closed. Without a body, it may even begin before net/http returns the response.
type capture struct {
	mu   sync.Mutex // guards the fields below
	sent []byte     // before begin
	head []byte     // received before begin
	body *spool     // of the response; nil before begin, and an empty one at the end
}

// captureFrom makes a connection record the next request in a capture, which remains empty if it is no recordedConn.
func captureFrom(conn net.Conn) *capture {
	if f, ok := conn.(*headerFilter); ok {
		conn = f.Conn
	}
	c := new(capture)
	if r, ok := conn.(*recordedConn); ok {
		r.last.Store(c)
	}
	return c
}

// Write implements io.Writer.
func (r *recordedConn) Write(p []byte) (int, error) {
	c := r.last.Load()
	c.mu.Lock()
	c.sent = append(c.sent, p...) // first, since the response may come before Write returns
	c.mu.Unlock()
	return r.Conn.Write(p)
}

// Read implements io.Reader.
func (r *recordedConn) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	c := r.last.Load() // after Read, which may have begun before the request
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body == nil {
		c.head = append(c.head, p[:n]...)
	} else {
		c.body.write(p[:n])
	}
	return n, err
}

// anyHeader matches the header of a response after those of interim responses.
var anyHeader = regexp.MustCompile(`(?s)^(?:HTTP/\S* +1\d\d.*?\n\r?\n)*(HTTP/.*?\n\r?\n)`)

// begin returns what was sent, and the header of the response, and records what follows it in body. It returns nil if the
// header was not recorded, or only its end, since the server began to send it before the request.
func (c *capture) begin(body *spool) (sent, head []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := anyHeader.FindSubmatchIndex(c.head); found != nil {
		sent, head, c.body = c.sent, c.head[found[2]:found[3]], body
		body.write(c.head[found[3]:])
	} else {
		c.body = new(spool)
	}
	c.sent, c.head = nil, nil
	return sent, head
}

// end ends the recording.
func (c *capture) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.body = new(spool)
}
