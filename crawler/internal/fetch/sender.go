package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A sender sends one request over the first usable connection.
//
// net/http repeats a request at once and without limit if a site closes a reused connection,
// refuses an HTTP/2 stream, or sends GOAWAY instead of a response. A sender delays the second
// request like any other, and does not send a third. A 408 on an idle connection is not about the
// URL, so the request is repeated in the same way over a new connection.
//
// Over HTTP/2 a site can continue to send an unread response. The connection is closed when no
// other request is in flight on it.
type sender struct {
	transport  *Transport
	url        *url.URL
	ctx        context.Context   // of the request until its body is closed
	cancel     func(cause error) // ends ctx
	began      time.Time
	retryAfter time.Duration // for which the host is blocked at the end; 0 means not at all

	mu      sync.Mutex // guards the fields below: the functions of the trace may be called at any time
	conn    net.Conn   // the last connection, to which the request was added in conns; nil if none
	closed  bool       // conn was closed before the request was written
	reused  bool       // conn was used by an earlier request
	expired bool       // the site has timed out conn: do not use it again
	written bool       // the request was written to conn
	resent  int        // number of repetitions of the request
	fresh   bool       // the request must be sent over a new connection

	recording *recording // of the last response; nil if exchanges are not recorded
}

// errRefusedAgain is the error of a request that would be sent a third time.
var errRefusedAgain = errors.New("the site rejected the request twice without a response")

// newSender returns a sender for a request, which ends with the crawl.
func newSender(t *Transport, req *http.Request) *sender {
	ctx, cancel := context.WithCancelCause(req.Context())
	unlink := context.AfterFunc(t.crawl.Lifecycle.Working, func() { cancel(nil) })
	return &sender{transport: t, url: req.URL, ctx: ctx, cancel: func(cause error) { unlink(); cancel(cause) }, began: time.Now()}
}

// abort ends the request with an error.
func (s *sender) abort(why error) { s.cancel(&abortError{why}) }

// end ends the request after its response, or without one.
func (s *sender) end() {
	if s.retryAfter > 0 {
		s.transport.crawl.Pacer.Block(s.url, s.retryAfter)
	}
	s.cancel(nil)
}

// withTrace returns a context with a trace that tells s about the connections of its request.
func (s *sender) withTrace() context.Context {
	return httptrace.WithClientTrace(s.ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if s.gotConn(info.Conn, info.Reused) {
				if err := s.transport.crawl.Pacer.PauseBefore(s.ctx, s.url); err != nil {
					s.cancel(err)
				}
			}
		},
		WroteHeaders: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.written = s.written || s.conn != nil
		},
	})
}

// gotConn records the connection for the request, and reports whether the request must wait
// because it was sent before.
func (s *sender) gotConn(conn net.Conn, reused bool) (wait bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(false)
	if s.recording != nil {
		s.recording.addr, s.recording.capture = conn.RemoteAddr(), captureFrom(conn)
	}
	if s.fresh && reused {
		_ = underlying(conn).Close() // net/http writes nothing, and uses another connection
		return false
	}
	wait, s.written, s.closed, s.reused = s.written, false, !s.transport.conns.add(conn), reused
	if !s.closed {
		s.conn = conn
	}
	if wait {
		s.resent++
	}
	if s.resent > 1 {
		s.abort(errRefusedAgain)
		if !isHTTP2(conn) { // net/http may write a request before it notices the end of the context
			_ = underlying(conn).Close()
		}
	}
	return wait
}

const (
	// closedPause is the first pause for net/http to notice that a connection was closed. On a
	// busy machine this may take longer, so each pause is ten times the previous one.
	closedPause = 5 * time.Millisecond
	maxClosed   = 3 // connections, and the next one is the last
)

// send sends a request, and repeats it once if the site has timed out an idle connection.
func (s *sender) send(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	s.record(req)
	resp, err := s.sendOnce(base, req)
	if err != nil || !s.timedOut(resp) {
		return resp, err
	}
	s.recording.responded(req, resp)
	_ = resp.Body.Close()
	s.done(false)
	s.record(req)
	if resp, err = s.sendOnce(base, req); err == nil {
		s.timedOut(resp)
	}
	return resp, err
}

// timedOut reports whether a response is about the connection only, and marks the connection as
// expired. A request is not repeated here if its response has Retry-After.
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

// sendOnce sends a request. If its connection was closed before any byte was written, it uses
// another connection.
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

// unwritten reports whether the connection was closed before the request was written to it. It
// resets the state for the next connection.
func (s *sender) unwritten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		return false
	}
	s.closed, s.written = false, false
	return true
}

// done ends the request. unread means that a part of its response was not read.
func (s *sender) done(unread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(unread)
}

// release removes the request from its connection, and closes an expired connection. s.mu is held.
func (s *sender) release(unread bool) {
	if counted := s.transport.conns.remove(s.conn, unread || s.expired); s.expired && !counted && s.conn != nil {
		_ = underlying(s.conn).Close()
	}
	s.conn, s.expired = nil, false
}

// track returns the body of a response. Closing it ends the request.
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
