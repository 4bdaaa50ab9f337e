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

	"github.com/politecrawl/politecrawl/robotsext"
)

// A line is what is known of the connection that a request goes over.
//
// net/http sends a request again, by itself and at once, where it may: over HTTP/1 when
// the connection was used before and goes away instead of an answer, over HTTP/2 when the
// site refuses the stream, or sends the client away. A site that does nothing else is
// asked without a pause and without end. Here a request that was sent and is to be sent
// again waits first, as any other would, and does not go out a third time.
//
// A site that closes an idle connection may also say so, by 408. Where that crosses a
// request it looks like the response, and says nothing of the URL: the request is sent
// again in the same way, over a new connection.
//
// Over HTTP/2 an answer that is not wanted any more goes on arriving, as long as the site
// likes: its connection carries others. One on which an answer was left before its end is
// therefore closed, as it is over HTTP/1, when nothing else is under way on it.
type line struct {
	ctx    context.Context
	pause  func(ctx context.Context) // lets the delay of the host pass
	giveUp func(cause error)         // ends ctx
	lines  *lines                    // of all requests

	mu      sync.Mutex // guards all below: the connection may tell of itself at any time
	conn    net.Conn   // the last one, on which lines count the request; nil: none
	dead    bool       // the last one was closed before the request got it
	reused  bool       // the last one had carried another request
	expired bool       // the site has timed the last one out: it carries no other request
	sent    bool       // on the last one
	again   int        // how often it was to be sent again
	fresh   bool       // it is to be sent over a new connection
}

// errRefusedAgain is what becomes of a request that would be sent a third time.
var errRefusedAgain = errors.New("crawler: the site turns the request away without an answer, as it did before")

// traced returns ctx with l listening.
func (l *line) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if !l.got(info.Conn, info.Reused) {
				return
			}
			l.pause(l.ctx)
		},
		WroteHeaders: func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sent = l.sent || l.conn != nil
		},
	})
}

// got takes note of a connection that the request is about to be sent on, and tells
// whether it has to wait, since it was sent before.
func (l *line) got(conn net.Conn, reused bool) (wait bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(false)
	if l.fresh && reused {
		_ = below(conn).Close() // net/http writes nothing, and takes another one
		return false
	}
	wait, l.sent, l.dead, l.reused = l.sent, false, !l.lines.take(conn), reused
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

// send sends a request over l, and once more where the site has timed out an idle connection.
func (l *line) send(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := l.sendOnce(base, req)
	if err != nil || !l.timedOut(resp) {
		return resp, err
	}
	_ = resp.Body.Close()
	l.done(false)
	if resp, err = l.sendOnce(base, req); err == nil {
		l.timedOut(resp)
	}
	return resp, err
}

// timedOut takes note of a response, and tells whether it is about the connection alone. One
// that says when to come back is not sent again here.
func (l *line) timedOut(resp *http.Response) bool {
	if resp.StatusCode != http.StatusRequestTimeout {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expired = true
	l.fresh = resp.ProtoMajor == 1 && l.reused && l.again == 0 && robotsext.RetryAfter(resp.Header, time.Now()) == 0
	return l.fresh
}

// sendOnce sends a request over l. One that got a connection which has been closed goes over
// another: nothing of it was sent.
func (l *line) sendOnce(base http.RoundTripper, req *http.Request) (resp *http.Response, err error) {
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

// leave takes the request off its connection, and has that closed if it is expired. l.mu is
// held.
func (l *line) leave(left bool) {
	if shared := l.lines.leave(l.conn, left || l.expired); l.expired && !shared && l.conn != nil {
		_ = below(l.conn).Close()
	}
	l.conn, l.expired = nil, false
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
