package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// download is the body of one response with a sitemap. It receives the body in the
// background, because the reader may fetch a page after each entry, and the site should
// not have to wait. It keeps up to about sitemap.MaxBytes of unread text in memory.
type download struct {
	cancel      context.CancelCauseFunc
	idleTimeout time.Duration
	idleTimer   *time.Timer // ends the request if no byte arrives for idleTimeout
	limitTimer  *time.Timer // ends the request after Options.Sitemaps.Timeout

	ended    chan struct{} // closed after the last byte was received
	panicked any           // what receive panicked with; set before ended is closed
	ready    chan struct{} // has a token if there is something to read

	mu           sync.Mutex // guards the rest
	chunks       [][]byte
	err          error // error after the last chunk; nil while receiving
	limitReached bool  // limitTimer fired, so a retry would fail too
}

// newDownload starts the timers of a request, which must be sent with ctx.
func newDownload(parent context.Context, silence, limit time.Duration) (ctx context.Context, d *download) {
	d = &download{idleTimeout: silence, ended: make(chan struct{}), ready: make(chan struct{}, 1)}
	ctx, d.cancel = context.WithCancelCause(parent)
	d.idleTimer = time.AfterFunc(silence, func() {
		d.cancel(fmt.Errorf("%w: received nothing for %s", ErrSitemapTimeout, silence))
	})
	d.limitTimer = time.AfterFunc(limit, func() {
		d.mu.Lock()
		d.limitReached = true
		d.mu.Unlock()
		d.cancel(fmt.Errorf("%w: incomplete after %s", ErrSitemapTimeout, limit))
	})
	return ctx, d
}

// stop ends the request.
func (d *download) stop() {
	d.idleTimer.Stop()
	d.limitTimer.Stop()
	d.cancel(nil)
}

// errIncomplete replaces io.ErrUnexpectedEOF, because a gzip reader also returns that.
var errIncomplete = errors.New("the response is incomplete")

// receive reads body, the body of the response to the request with ctx. At the end it
// calls release.
func (d *download) receive(ctx context.Context, body io.ReadCloser, release func()) {
	defer close(d.ended)
	defer func() { // the body may be that of the program's transport
		d.panicked = recover()
		if d.err == nil {
			d.put(nil, lookup.ErrEnded)
		}
	}()
	defer release()
	defer d.stop()
	defer body.Close()
	buf := make([]byte, chunkSize)
	for room := sitemap.MaxBytes + 1; room > 0; { // one byte more, so that the reader finds that the file is too large
		d.idleTimer.Reset(d.idleTimeout)
		n, err := body.Read(buf)
		d.idleTimer.Stop()
		switch {
		case err == nil || err == io.EOF:
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = errIncomplete
		}
		d.put(buf[:n], err)
		if err != nil {
			return
		}
		room -= n
	}
	d.put(nil, io.EOF)
}

// chunkSize is the capacity of a chunk.
const chunkSize = 32 << 10

// put passes received bytes to the reader, with an error if they are the last.
func (d *download) put(p []byte, err error) {
	d.mu.Lock()
	last := len(d.chunks) - 1
	switch {
	case len(p) == 0:
	case last >= 0 && len(p) <= cap(d.chunks[last])-len(d.chunks[last]):
		d.chunks[last] = append(d.chunks[last], p...)
	default:
		d.chunks = append(d.chunks, append(make([]byte, 0, chunkSize), p...))
	}
	d.err = err
	d.mu.Unlock()
	select {
	case d.ready <- struct{}{}:
	default:
	}
}

// Read waits for received bytes. Only one reader may call it.
func (d *download) Read(p []byte) (int, error) {
	for {
		n, err := d.tryRead(p)
		if n > 0 || err != nil {
			return n, err
		}
		<-d.ready
	}
}

func (d *download) tryRead(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.chunks) == 0 {
		return 0, d.err
	}
	n := copy(p, d.chunks[0])
	if d.chunks[0] = d.chunks[0][n:]; len(d.chunks[0]) == 0 {
		d.chunks = d.chunks[1:]
	}
	return n, nil
}

// incomplete reports whether the response ended before the file, so that a retry may
// help.
func (d *download) incomplete() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err != nil && d.err != io.EOF && !d.limitReached
}

// close ends the request and waits for its end. It panics if receive has panicked.
func (d *download) close() {
	d.cancel(nil)
	<-d.ended
	if d.panicked != nil {
		panic(d.panicked)
	}
}
