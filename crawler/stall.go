package crawler

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// leastBytes is what an answer has to bring in each time of stall-timeout. A byte
// now and then, which keeps a worker busy up to the last time limit, is no answer
// that is on its way; over a line of 1980 it would be more.
const leastBytes = 1 << 10

// errStalled says that an answer came to a halt.
var errStalled = errors.New("crawler: the answer has come to a halt")

// stallBody is a body that is broken off when it brings next to nothing for a while.
// Only the time counts in which somebody waits for it: who reads a sitemap may have
// other things to do in between.
type stallBody struct {
	io.ReadCloser
	within time.Duration
	cancel func() // ends the request
	timer  *time.Timer

	mu     sync.Mutex    // guards all below
	since  time.Time     // of the Read that is under way; zero: none is
	waited time.Duration // in the Reads before it, since got was last zero
	got    int
	err    error // after the body was broken off
}

// newStallBody returns body with a watch over it, which cancel ends the request for.
func newStallBody(body io.ReadCloser, within time.Duration, cancel func()) *stallBody {
	b := &stallBody{ReadCloser: body, within: within, cancel: cancel}
	b.timer = time.AfterFunc(within, b.look)
	b.timer.Stop()
	return b
}

// Read implements io.Reader.
func (b *stallBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	b.since = time.Now()
	b.timer.Reset(b.within - b.waited)
	b.mu.Unlock()
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer.Stop()
	b.waited += time.Since(b.since)
	b.since = time.Time{}
	b.got += n
	if err != nil && !errors.Is(err, io.EOF) && b.err != nil {
		err = b.err
	}
	return n, err
}

// look breaks the body off when it has come to a halt, and else looks again when it
// may have. It may come too late for the Read that it was to look at.
func (b *stallBody) look() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() || b.err != nil { // broken off once
		return
	}
	now := time.Now()
	b.waited += now.Sub(b.since)
	b.since = now
	if b.waited < b.within {
		b.timer.Reset(b.within - b.waited)
		return
	}
	if b.got < leastBytes {
		b.err = fmt.Errorf("%w: %d bytes in %v (stall-timeout)", errStalled, b.got, b.within)
		b.cancel()
		return
	}
	b.waited, b.got = 0, 0
	b.timer.Reset(b.within)
}
