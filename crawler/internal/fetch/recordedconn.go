package fetch

import (
	"net"
	"regexp"
	"sync"
)

// A recordedConn is a connection of HTTP/1.1 that records requests and responses as they are sent. It has one request at
// a time, but that may begin before the body of the response before it is closed.
type recordedConn struct {
	net.Conn

	mu   sync.Mutex // guards the fields below
	sent []byte     // before begin
	head []byte     // received before begin
	body *spool     // of the last response; nil before begin, and an empty one at the end
}

// newRecordedConn returns a connection with a recordedConn.
func newRecordedConn(conn net.Conn) net.Conn { return &recordedConn{Conn: conn} }

// recordFrom makes a connection record a request and its response. If it is no recordedConn, nothing is recorded.
func recordFrom(conn net.Conn) *recordedConn {
	if f, ok := conn.(*headerFilter); ok {
		conn = f.Conn
	}
	c, ok := conn.(*recordedConn)
	if !ok {
		return new(recordedConn)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent, c.head, c.body = nil, nil, nil
	return c
}

// Write implements io.Writer.
func (c *recordedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.sent = append(c.sent, p...) // first, since the response may come before Write returns
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// Read implements io.Reader.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
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
func (c *recordedConn) begin(body *spool) (sent, head []byte) {
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

// end ends the recording of a body.
func (c *recordedConn) end(body *spool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body == body { // otherwise the next request has begun
		c.body = new(spool)
	}
}
