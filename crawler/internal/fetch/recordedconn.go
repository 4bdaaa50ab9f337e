package fetch

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// A recordedConn is a connection of HTTP/1.1 that records the responses as it receives them. It has one request at a
// time.
type recordedConn struct {
	net.Conn

	to atomic.Pointer[received] // the response to the last request
}

// Read implements io.Reader.
func (c *recordedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if to := c.to.Load(); to != nil {
		to.write(p[:n])
	}
	return n, err
}

// NetConn returns the connection below, as that of a tls.Conn does.
func (c *recordedConn) NetConn() net.Conn { return c.Conn }

// newRecordedConn returns a connection with a recordedConn.
func newRecordedConn(conn net.Conn) net.Conn { return &recordedConn{Conn: conn} }

// A received is a response as it was received. Interim responses before it are left out.
type received struct {
	mu    sync.Mutex // guards the fields below
	head  []byte     // to the empty line
	line  int        // the start of its last line
	whole bool       // head is complete
	body  spool
}

// recordFrom returns what a connection receives from now on: nothing, if it is no recordedConn. One below TLS, as through
// a proxy, has only encrypted data.
func (t *Transport) recordFrom(conn net.Conn) *received {
	r := &received{body: spool{dir: t.spool, max: t.maxRecorded}}
	for {
		switch c := conn.(type) {
		case *recordedConn:
			c.to.Store(r)
			return r
		case *headerFilter:
			conn = c.Conn
		default:
			return r
		}
	}
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
		line := string(r.head[r.line:])
		if line[len(line)-1] != '\n' {
			return
		}
		r.line = len(r.head)
		if r.whole = line == "\n" || line == "\r\n"; r.whole && isInterim(r.head) {
			r.head, r.line, r.whole = nil, 0, false
		}
	}
	r.body.write(p)
}

// isInterim reports whether a header is of an interim response.
func isInterim(head []byte) bool {
	_, status, _ := bytes.Cut(head, []byte(" "))
	status = bytes.TrimLeft(status, " ")
	return bytes.HasPrefix(status, []byte("1")) && !bytes.HasPrefix(status, []byte("101"))
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
