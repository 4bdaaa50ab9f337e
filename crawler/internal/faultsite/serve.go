package faultsite

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// serve serves one connection.
func (s *Site) serve(h *host, tcp *net.TCPConn) {
	bad := h.nextConnFaulty()
	unasked := &exchange{ // a connection without a request
		site: s, faulty: true, host: h, last: h.clock(),
		seen: testserver.Request{Start: time.Now(), Origin: h.Origin, Remote: tcp.RemoteAddr().String()},
	}
	if bad && h.fault.connect != nil {
		unasked.peer = newPeer(tcp, tcp)
		go func() { _, _ = io.Copy(io.Discard, unasked.peer.in) }() // so that its end is seen
		h.fault.connect(unasked)
		_ = unasked.peer.Close() // the client may have left
		s.note(unasked)
		return
	}
	var conn net.Conn = tcp
	serve := s.serveHTTP1
	if h.good != nil {
		config := h.good
		if bad {
			config = h.bad
		}
		c := tls.Server(tcp, config)
		if err := c.Handshake(); err != nil {
			if bad {
				s.note(unasked)
			}
			return
		}
		conn = c
		if c.ConnectionState().NegotiatedProtocol == "h2" {
			serve = s.serveHTTP2
		}
	}
	p := newPeer(conn, tcp)
	serve(h, p)
	_ = p.Close() // the client may have left
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
		x.faulty = h.faulty(req.URL.Path)
		answer := (*exchange).respond
		if x.faulty {
			answer = h.fault.act
			h.begins()
		}
		again := answer(x)
		s.note(x)
		if !again {
			return
		}
	}
}
