package crawler

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// A line is what is known of the connection that a request goes over.
//
// net/http sends a request again, by itself and at once, where it may: over HTTP/1 when
// the connection was used before and goes away instead of an answer, over HTTP/2 when the
// site refuses the stream, or sends the client away. A site that does nothing else is
// asked without a pause and without end. Here a request that was sent and is to be sent
// again waits first, as any other would, and does not go out a third time.
//
// Over HTTP/2 an answer that is not wanted any more goes on arriving, as long as the site
// likes: its connection carries others. One on which an answer was left before its end is
// therefore closed, as it is over HTTP/1, when nothing else is under way on it.
type line struct {
	ctx    context.Context
	pause  func(ctx context.Context) // lets the delay of the host pass
	giveUp func(cause error)         // ends ctx
	lines  *lines                    // of all requests

	mu    sync.Mutex // guards all below: the connection may tell of itself at any time
	conn  net.Conn   // the last one, on which lines count the request; nil: none
	dead  bool       // the last one was closed before the request got it
	sent  bool       // on the last one
	again int        // how often it was to be sent again
}

// errRefusedAgain is what becomes of a request that would be sent a third time.
var errRefusedAgain = errors.New("crawler: the site turns the request away without an answer, as it did before")

// traced returns ctx with l listening.
func (l *line) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if !l.got(info.Conn) {
				return
			}
			l.pause(l.ctx)
		},
		WroteHeaders: func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sent = true
		},
	})
}

// got takes note of a connection that the request is about to be sent on, and tells
// whether it has to wait, since it was sent before.
func (l *line) got(conn net.Conn) (wait bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(false)
	wait, l.sent, l.dead = l.sent, false, !l.lines.take(conn)
	if !l.dead {
		l.conn = conn
	}
	if wait {
		l.again++
	}
	if l.again > 1 {
		l.giveUp(errRefusedAgain)
	}
	return wait
}

const (
	// deadPause is how long net/http may take to find out that a connection was closed. On
	// a busy machine it may take longer: each pause is ten times the one before.
	deadPause = 5 * time.Millisecond
	maxDead   = 3 // connections, and the next one is the last
)

// send sends a request over l. One that got a connection which has been closed goes over
// another: nothing of it was sent.
func (l *line) send(base http.RoundTripper, req *http.Request) (resp *http.Response, err error) {
	pause := deadPause
	for range maxDead {
		if resp, err = base.RoundTrip(req); err == nil || !l.unsent() || sleep(l.ctx, pause) != nil {
			return resp, err
		}
		pause *= 10
	}
	return base.RoundTrip(req)
}

// unsent tells whether the connection had been closed before the request was sent on it,
// which then was not. What comes next is about another connection, if there will be one.
func (l *line) unsent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead {
		return false
	}
	l.dead, l.sent = false, false
	return true
}

// done says that the request is over, and whether its answer was left before the end.
func (l *line) done(left bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(left)
}

// leave takes the request off its connection. l.mu is held.
func (l *line) leave(left bool) {
	l.lines.leave(l.conn, left)
	l.conn = nil
}

// lineBody is the body of an answer over a line, which is over when the body is closed.
type lineBody struct {
	io.ReadCloser
	line *line
	end  bool // was read
}

// over returns the body of an answer, watched over.
func (l *line) over(resp *http.Response) io.ReadCloser {
	if resp.Body == http.NoBody || resp.ContentLength == 0 {
		l.done(false)
		return resp.Body
	}
	return &lineBody{ReadCloser: resp.Body, line: l}
}

// Read implements io.Reader.
func (b *lineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.end = b.end || errors.Is(err, io.EOF)
	return n, err
}

// Close closes the body.
func (b *lineBody) Close() error {
	err := b.ReadCloser.Close()
	b.line.done(!b.end)
	return err
}
