package fetch

import (
	"crypto/tls"
	"net"
	"sync"
	"syscall"
)

// http2Conns counts the requests on each HTTP/2 connection, since net/http does not report which
// requests share one. An HTTP/1 connection has one request at a time, and net/http closes it.
//
// A connection that must be closed still accepts the requests that net/http assigns to it, since
// waiting would consume their time limits. So it is closed as soon as it has no request.
type http2Conns struct {
	mu    sync.Mutex
	loads map[net.Conn]load
}

// A load is the state of a connection.
type load struct {
	requests int
	unread   bool // a part of a response is unread
}

// add adds a request to a connection, and reports whether the connection is still open.
func (s *http2Conns) add(conn net.Conn) (open bool) {
	if !isHTTP2(conn) {
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

func isHTTP2(conn net.Conn) bool {
	c, ok := conn.(*tls.Conn)
	return ok && c.ConnectionState().NegotiatedProtocol == "h2"
}

// remove removes a request from its connection, and reports whether it was added before. unread
// means that a part of its response was not read. When the last request is removed and any response
// was unread, remove closes the connection.
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

// underlying returns the connection below TLS, with or without a proxy.
func underlying(conn net.Conn) net.Conn {
	for {
		c, ok := conn.(*tls.Conn)
		if !ok {
			return conn
		}
		conn = c.NetConn()
	}
}
