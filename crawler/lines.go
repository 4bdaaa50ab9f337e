package crawler

import (
	"crypto/tls"
	"net"
	"sync"
	"syscall"
)

// lines are the connections of HTTP/2 that requests are on. Nobody else knows of all the
// requests that share one. Those of HTTP/1 have one each, and net/http closes them.
//
// A connection that is to be closed still takes the requests that net/http puts on it: to
// let them wait would use up their time. So it is there until it has nothing to do for once.
type lines struct {
	mu sync.Mutex
	on map[net.Conn]load
}

// A load is what is on a connection.
type load struct {
	requests int
	left     bool // an answer was, before its end
}

// take puts a request on a connection, and tells whether that was not closed before.
func (s *lines) take(conn net.Conn) bool {
	c, ok := conn.(*tls.Conn)
	if !ok || c.ConnectionState().NegotiatedProtocol != "h2" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if closed(conn) {
		return false
	}
	if s.on == nil {
		s.on = make(map[net.Conn]load)
	}
	l := s.on[conn]
	l.requests++
	s.on[conn] = l
	return true
}

// leave takes a request off a connection that it was put on; left says that its answer was,
// before the end. With the last one goes a connection on which any was. It tells whether
// the connection is one of these.
func (s *lines) leave(conn net.Conn, left bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.on[conn]
	if !ok {
		return false
	}
	l.requests--
	l.left = l.left || left
	if l.requests > 0 {
		s.on[conn] = l
		return true
	}
	delete(s.on, conn)
	if l.left {
		_ = below(conn).Close() // without a farewell, for which TLS would wait
	}
	return true
}

// closed tells whether a connection was closed on this side.
func closed(conn net.Conn) bool {
	c, ok := below(conn).(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	return err != nil || raw.Control(func(uintptr) {}) != nil
}

// below returns what a connection is made of, under TLS, with a proxy or without.
func below(conn net.Conn) net.Conn {
	for {
		c, ok := conn.(*tls.Conn)
		if !ok {
			return conn
		}
		conn = c.NetConn()
	}
}
