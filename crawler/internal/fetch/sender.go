package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A sender sends one request, over the first connection that takes it.
//
// net/http repeats a request by itself, at once and without end, where a site closes a used
// connection, refuses a stream of HTTP/2 or sends GOAWAY instead of a response. A sender
// delays the second request as any other, and sends no third. A 408 on an idle connection is
// repeated in the same way over a new connection, since it is not about the URL.
//
// Over HTTP/2 a site can keep sending an unread response. Its connection
// is closed when no other request is in flight on it.
type sender struct {
	ctx    context.Context
	delay  func()            // waits until the host may be sent another request
	cancel func(cause error) // ends ctx
	conns  *http2Conns       // of all requests

	mu      sync.Mutex // guards all below: the trace of a connection may be called at any time
	conn    net.Conn   // the last one, on which conns count the request; nil: none
	closed  bool       // the last one was, before the request was written to it
	reused  bool       // the last one had carried another request
	expired bool       // the site has timed the last one out: it carries no other request
	written bool       // the request is, to the last one
	resent  int        // how often the request was to be sent again
	fresh   bool       // it is to be sent over a new connection
}

// errRefusedAgain is the error of a request that would be sent a third time.
var errRefusedAgain = errors.New("the site rejected the request twice without a response")

// withTrace returns a context by which s follows the connections of its request.
func (s *sender) withTrace() context.Context {
	return httptrace.WithClientTrace(s.ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if s.gotConn(info.Conn, info.Reused) {
				s.delay()
			}
		},
		WroteHeaders: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.written = s.written || s.conn != nil
		},
	})
}

// gotConn notes a connection that the request is about to be sent over, and reports whether
// the request has to wait, since it was sent before.
func (s *sender) gotConn(conn net.Conn, reused bool) (wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(false)
	if s.fresh && reused {
		_ = underlying(conn).Close() // net/http writes nothing, and takes another one
		return false
	}
	wait, s.written, s.closed, s.reused = s.written, false, !s.conns.add(conn), reused
	if !s.closed {
		s.conn = conn
	}
	if wait {
		s.resent++
	}
	if s.resent > 1 {
		s.cancel(&abortError{errRefusedAgain})
	}
	return wait
}

const (
	// closedPause is how long net/http may take to find out that a connection was closed. On
	// a busy machine it may take longer: each pause is ten times the one before.
	closedPause = 5 * time.Millisecond
	maxClosed   = 3 // connections, and the next one is the last
)

// send sends a request, and once more where the site has timed out an idle connection.
func (s *sender) send(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := s.sendOnce(base, req)
	if err != nil || !s.timedOut(resp) {
		return resp, err
	}
	_ = resp.Body.Close()
	s.done(false)
	if resp, err = s.sendOnce(base, req); err == nil {
		s.timedOut(resp)
	}
	return resp, err
}

// timedOut notes a response, and reports whether it is about the connection alone. One
// with Retry-After is not sent again here.
func (s *sender) timedOut(resp *http.Response) bool {
	if resp.StatusCode != http.StatusRequestTimeout {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = true
	s.fresh = resp.ProtoMajor == 1 && s.reused && s.resent == 0 && robotsext.RetryAfter(resp.Header, time.Now()) == 0
	return s.fresh
}

// sendOnce sends a request. If its connection was closed before, it is sent over another:
// nothing of it was written.
func (s *sender) sendOnce(base http.RoundTripper, req *http.Request) (resp *http.Response, err error) {
	pause := closedPause
	for range maxClosed {
		if resp, err = base.RoundTrip(req); err == nil || !s.unwritten() {
			return resp, err
		}
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return resp, err
		}
		pause *= 10
	}
	return base.RoundTrip(req)
}

// unwritten reports whether the connection had been closed before the request was written
// to it. What is noted next is about another connection, if there will be one.
func (s *sender) unwritten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		return false
	}
	s.closed, s.written = false, false
	return true
}

// done says that the request is over, and whether a part of its response is unread.
func (s *sender) done(unread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(unread)
}

// release takes the request off its connection, and closes that if it is expired. s.mu is
// held.
func (s *sender) release(unread bool) {
	if counted := s.conns.remove(s.conn, unread || s.expired); s.expired && !counted && s.conn != nil {
		_ = underlying(s.conn).Close()
	}
	s.conn, s.expired = nil, false
}

// track returns the body of a response; the request is over when that is closed.
func (s *sender) track(resp *http.Response) io.ReadCloser {
	if resp.Body == http.NoBody || resp.ContentLength == 0 {
		s.done(false)
		return resp.Body
	}
	return &trackedBody{ReadCloser: resp.Body, sender: s}
}

// trackedBody is the body of a response to the request of a sender.
type trackedBody struct {
	io.ReadCloser
	sender *sender
	end    bool // was read
}

func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.end = b.end || errors.Is(err, io.EOF)
	return n, err
}

// Close closes the body.
func (b *trackedBody) Close() error {
	err := b.ReadCloser.Close()
	b.sender.done(!b.end)
	return err
}
