package faultsite

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// accept serves the connections to a host until its listener is closed.
func (s *Site) accept(h *host) {
	for {
		c, err := h.listener.Accept()
		if err != nil {
			return
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok || !s.keep(c) {
			_ = c.Close()
			continue
		}
		s.serving.Go(func() {
			s.serve(h, tcp)
			_ = c.Close() // it may be closed already
			s.forget(c)
		})
	}
}

// serve serves one connection.
func (s *Site) serve(h *host, tcp *net.TCPConn) {
	bad := h.nextConnFaulty()
	began, last := time.Now(), h.clock()
	var conn net.Conn = tcp
	http2 := false
	switch {
	case bad && h.fault.connect != nil:
		s.handle(tcp, tcp, func(p *peer) {
			go func() { _, _ = io.Copy(io.Discard, p.in) }() // so that its end is seen
			h.fault.connect(&exchange{site: s, host: h, peer: p})
		})
		s.noteConn(h, last, tcp, began)
		return
	case h.good != nil:
		config := h.good
		if bad {
			config = h.bad
		}
		c := tls.Server(tcp, config)
		if err := c.Handshake(); err != nil {
			if bad {
				s.noteConn(h, last, tcp, began)
			}
			return
		}
		conn, http2 = c, c.ConnectionState().NegotiatedProtocol == "h2"
	}
	s.handle(conn, tcp, func(p *peer) {
		if http2 {
			s.serveHTTP2(h, p)
		} else {
			s.serveHTTP1(h, p)
		}
	})
}

// handle calls deal with the peer of a connection, and closes the connection.
func (s *Site) handle(conn net.Conn, tcp *net.TCPConn, deal func(p *peer)) {
	p := newPeer(conn, tcp)
	deal(p)
	_ = p.Close() // the client may have left
}

// noteConn records a connection without a request.
func (s *Site) noteConn(h *host, last demosite.DelayChecker, tcp *net.TCPConn, began time.Time) {
	s.note(h, &exchange{last: last, seen: demosite.Request{Start: began, Origin: h.Origin, Remote: tcp.RemoteAddr().String()}}, true)
}

// serveHTTP1 responds to the requests of a connection, one after the other.
func (s *Site) serveHTTP1(h *host, p *peer) {
	for nth := 1; ; nth++ {
		req, err := http.ReadRequest(p.in)
		if err != nil {
			return
		}
		req.RemoteAddr = p.RemoteAddr().String()
		x := s.newExchange(h, p, req, nth)
		fault := h.faulty(req.URL.Path)
		answer := (*exchange).respond
		if fault {
			answer = h.fault.act
			h.begins()
		}
		again := answer(x)
		s.note(h, x, fault)
		if !again {
			return
		}
	}
}
