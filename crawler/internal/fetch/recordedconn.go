package fetch

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
)

// A recordedConn is a connection of HTTP/1.1 that records the responses as it receives them. It has one request at a
// time.
type recordedConn struct {
	net.Conn

	mu    sync.Mutex // guards the fields below
	to    *received  // the response to the last request; nil if it was read
	early []byte     // received before the next request, such as a 408 on an idle connection
}

// Read implements io.Reader.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to != nil {
		c.to.write(p[:n])
	} else {
		c.early = append(c.early, p[:n]...)
	}
	return n, err
}

// NetConn returns the connection below, as that of a tls.Conn does.
func (c *recordedConn) NetConn() net.Conn { return c.Conn }

// begin records what arrives from now on as the response to a request.
func (c *recordedConn) begin(to *received) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to.write(c.early)
	c.to, c.early = to, nil
}

// end ends that, unless the next request has begun. It does nothing if c is nil.
func (c *recordedConn) end(to *received) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to == to {
		c.to = nil
	}
}

// recordedBelow returns the recordedConn of a connection, or nil if it has none.
func recordedBelow(conn net.Conn) *recordedConn {
	for {
		switch c := conn.(type) {
		case *recordedConn:
			return c
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

// A received is a response as it was received. Interim responses before it are left out.
type received struct {
	mu    sync.Mutex // guards the fields below
	head  []byte     // to the empty line
	line  int        // the start of its last line
	whole bool       // head is complete
	body  spool
	err   error // of the spool
	ended bool  // nothing is recorded any more
}

// write records bytes.
func (r *received) write(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(p) > 0 && !r.whole {
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		r.head, p = append(r.head, p[:n]...), p[n:]
		line := r.head[r.line:]
		if line[len(line)-1] != '\n' {
			return
		}
		r.line = len(r.head)
		if string(line) != "\n" && string(line) != "\r\n" {
			continue
		}
		if isInterim(r.head) {
			r.head, r.line = nil, 0
		} else {
			r.whole = true
		}
	}
	if !r.ended && r.err == nil && len(p) > 0 {
		r.err = r.body.write(p)
	}
}

// isInterim reports whether a header is of an interim response.
func isInterim(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	status = bytes.TrimLeft(status, " ")
	return bytes.HasPrefix(status, []byte("1")) && !bytes.HasPrefix(status, []byte("101"))
}

// header returns the header of the response, or nil if it was not received on a recorded connection. Then what is
// written from now on is the body.
func (r *received) header() (head []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole {
		head = r.head
	}
	r.whole = true
	return head
}

// end ends the recording, and frees the body.
func (r *received) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.body.close()
}

// omitFields returns a header without the fields of some names.
func omitFields(head []byte, omit map[string]bool) []byte {
	if len(omit) == 0 {
		return head
	}
	var kept []byte
	drop := false
	for line := range bytes.Lines(head) {
		if line[0] != ' ' && line[0] != '\t' { // otherwise the line continues a field
			name, _, _ := strings.Cut(string(line), ":")
			drop = omit[http.CanonicalHeaderKey(strings.Join(strings.Fields(name), ""))]
		}
		if !drop {
			kept = append(kept, line...)
		}
	}
	return kept
}
