// Package testserver is the server below the test sites: it listens on loopback, describes the
// requests, and checks the delays between them.
package testserver

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server listens on addresses of this machine until Close.
type Server struct {
	listeners []net.Listener
	serving   sync.WaitGroup
	closing   context.Context // done when the connections are to be closed
	hangUp    context.CancelFunc
}

// Start listens on the same port of each address. Port 0 means any free one. An address that this
// machine does not have, or that is the first one again, gets its own free port on the first. The
// error matches ErrPortTaken (errors.Is), or is one of package net.
func Start(port int, addresses []string) (*Server, error) {
	for try := 1; ; try++ {
		s := new(Server)
		s.closing, s.hangUp = context.WithCancel(context.Background())
		err := s.listen(port, addresses)
		if err == nil {
			return s, nil
		}
		_ = s.Close() // err says more
		// A free port of the first address may be in use on another.
		if port != 0 || try == tries || !errors.Is(err, ErrPortTaken) {
			return nil, err
		}
	}
}

// Addr returns the i-th address with its port.
func (s *Server) Addr(i int) string { return s.listeners[i].Addr().String() }

// Serve calls serve with each connection to the i-th address, and closes the connection then.
func (s *Server) Serve(i int, serve func(*net.TCPConn)) {
	s.serving.Go(func() {
		for {
			c, err := s.listeners[i].Accept()
			if err != nil {
				return
			}
			tcp, _ := c.(*net.TCPConn) // always, for "tcp"
			s.serving.Go(func() {
				defer context.AfterFunc(s.closing, func() { _ = tcp.Close() })()
				serve(tcp)
				_ = tcp.Close() // it may be closed already
			})
		}
	})
}

// Handle serves the i-th address by HTTP.
func (s *Server) Handle(i int, handler http.HandlerFunc) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	s.serving.Go(func() { _ = server.Serve(s.listeners[i]) }) // ends with its listener
	s.serving.Go(func() {
		<-s.closing.Done()
		_ = server.Close()
	})
}

// Close stops the server, closes its connections, and waits until Serve has no calls in flight.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.listeners {
		errs = append(errs, l.Close())
	}
	s.hangUp()
	s.serving.Wait()
	return errors.Join(errs...)
}
