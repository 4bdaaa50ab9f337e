package fetch

import (
	"crypto/tls"
	"net"
	"sync"
	"syscall"
)

// http2Conns counts the requests on each connection of HTTP/2, since net/http does not tell
// who shares one. Those of HTTP/1 have one request each, and net/http closes them.
//
// A connection that is to be closed still takes the requests that net/http puts on it: making
// them wait would use up their time. So it is closed when it has no request for once.
type http2Conns struct {
	mu    sync.Mutex
	loads map[net.Conn]load
}

// A load is what is on a connection.
type load struct {
	requests int
	unread   bool // a part of a response on it is
}

// add puts a request on a connection, and reports whether that is still open.
func (s *http2Conns) add(conn net.Conn) (open bool) {
	c, ok := conn.(*tls.Conn)
	if !ok || c.ConnectionState().NegotiatedProtocol != "h2" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if isClosed(conn) {
		return false
	}
	if s.loads == nil {
		s.loads = make(map[net.Conn]load)
	}
	l := s.loads[conn]
	l.requests++
	s.loads[conn] = l
	return true
}

// remove takes a request off a connection that it was added to; unread says that a part of
// its response is. With the last request a connection is closed on which any response is
// unread. It reports whether the request was added to the connection.
func (s *http2Conns) remove(conn net.Conn, unread bool) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.loads[conn]
	if !ok {
		return false
	}
	l.requests--
	l.unread = l.unread || unread
	if l.requests > 0 {
		s.loads[conn] = l
		return true
	}
	delete(s.loads, conn)
	if l.unread {
		_ = underlying(conn).Close() // without close_notify, which TLS would wait to write
	}
	return true
}

// isClosed reports whether a connection was closed on this side.
func isClosed(conn net.Conn) bool {
	c, ok := underlying(conn).(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

// underlying returns the connection under TLS, with a proxy or without.
func underlying(conn net.Conn) net.Conn {
	for {
		c, ok := conn.(*tls.Conn)
		if !ok {
			return conn
		}
		conn = c.NetConn()
	}
}
