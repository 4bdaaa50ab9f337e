package robotsext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// download is the answer to one request for a sitemap. It is received as fast as
// it comes and read as fast as the reader likes, who may be fetching a page
// between any two entries: nobody keeps a site waiting with an answer half read.
// What is received and not read yet is kept, about sitemap.MaxBytes at most.
type download struct {
	cancel  context.CancelCauseFunc
	silence time.Duration
	quiet   *time.Timer // ends the request when nothing arrives for that long
	limit   *time.Timer // ends it in any case

	over chan struct{} // closed when nothing more is received
	news chan struct{} // has a token when there is more to read, or the end

	mu     sync.Mutex // guards the rest
	chunks [][]byte
	err    error // why there is no more; nil: there may be
	late   bool  // the limit was reached: another try would come no further
}

// newDownload starts the clocks of a request, which is to be sent under ctx.
func newDownload(parent context.Context, silence, limit time.Duration) (ctx context.Context, d *download) {
	d = &download{silence: silence, over: make(chan struct{}), news: make(chan struct{}, 1)}
	ctx, d.cancel = context.WithCancelCause(parent)
	d.quiet = time.AfterFunc(silence, func() {
		d.cancel(fmt.Errorf("%w: nothing came for %s", ErrSitemapTimeout, silence))
	})
	d.limit = time.AfterFunc(limit, func() {
		d.mu.Lock()
		d.late = true
		d.mu.Unlock()
		d.cancel(fmt.Errorf("%w: it was not there after %s", ErrSitemapTimeout, limit))
	})
	return ctx, d
}

// stop ends the request.
func (d *download) stop() {
	d.quiet.Stop()
	d.limit.Stop()
	d.cancel(nil)
}

// errCut replaces io.ErrUnexpectedEOF, which a gzip reader returns for its own reasons.
var errCut = errors.New("the response is incomplete")

// receive takes in body, the answer to the request under ctx. When it is over,
// release is called.
func (d *download) receive(ctx context.Context, body io.ReadCloser, release func()) {
	defer close(d.over)
	defer release()
	defer d.stop()
	defer body.Close()
	buf := make([]byte, chunkSize)
	for room := sitemap.MaxBytes + 1; room > 0; { // one more says that it is too much
		d.quiet.Reset(d.silence)
		n, err := body.Read(buf)
		d.quiet.Stop()
		switch {
		case err == nil || err == io.EOF:
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = errCut
		}
		d.put(buf[:n], err)
		if err != nil {
			return
		}
		room -= n
	}
	d.put(nil, io.EOF)
}

// chunkSize is how much is kept in one piece.
const chunkSize = 32 << 10

// put hands what was received, and why it is the last, to the reader.
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
	case d.news <- struct{}{}:
	default:
	}
}

// Read waits for what is received. It is for one reader.
func (d *download) Read(p []byte) (int, error) {
	for {
		n, err := d.take(p)
		if n > 0 || err != nil {
			return n, err
		}
		<-d.news
	}
}

func (d *download) take(p []byte) (int, error) {
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

// brokeOff reports whether the answer ended before the file did, which another
// try may mend.
func (d *download) brokeOff() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err != nil && d.err != io.EOF && !d.late
}

// close ends the request, if it has not ended, and returns when it has.
func (d *download) close() {
	d.cancel(nil)
	<-d.over
}
