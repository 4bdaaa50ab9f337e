package fetch

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// leastBytes is what a response has to deliver in each stall-timeout. Without it, a byte
// now and then would occupy a worker up to the last time limit.
const leastBytes = 1 << 10

// errStalled means that a response delivers almost no data.
var errStalled = errors.New("the response stalled")

// stallBody is a body that is aborted when it delivers next to nothing for a while. Only
// the time inside Read counts: the reader of a sitemap may be busy in between.
type stallBody struct {
	io.ReadCloser
	within time.Duration
	abort  func() // the request
	timer  *time.Timer

	mu     sync.Mutex    // guards all below
	since  time.Time     // of the Read in progress; zero: none is
	waited time.Duration // in the Reads before it, since got was last zero
	got    int
	err    error // after the request was aborted
}

// newStallBody returns a body whose request is aborted when it stalls.
func newStallBody(body io.ReadCloser, within time.Duration, abort func()) *stallBody {
	b := &stallBody{ReadCloser: body, within: within, abort: abort}
	b.timer = time.AfterFunc(within, b.check)
	b.timer.Stop()
	return b
}

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

// check aborts the request when the body has stalled, and else checks again when it may have.
// It may come too late for the Read that it was to check.
func (b *stallBody) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() || b.err != nil { // aborted once
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
		b.abort()
		return
	}
	b.waited, b.got = 0, 0
	b.timer.Reset(b.within)
}
