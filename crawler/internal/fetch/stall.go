package fetch

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// leastBytes is the number of bytes that a response must deliver in each stall-timeout. Without it,
// a slow response would occupy a worker until the time limit of the page.
const leastBytes = 1 << 10

// errStalled means that a response delivers almost no data.
var errStalled = errors.New("the response stalled")

// stallBody is a body that aborts its request if it delivers fewer than leastBytes in the
// stall-timeout. Only the time inside Read counts, since the reader may be busy in between.
type stallBody struct {
	io.ReadCloser
	within time.Duration
	sender *sender // of the request
	timer  *time.Timer

	mu     sync.Mutex    // guards the fields below
	since  time.Time     // start of the Read in progress; zero if none
	waited time.Duration // time in earlier Reads since got was zero
	got    int
	err    error // after the request was aborted
}

// newStallBody returns a body that aborts its request when it stalls.
func newStallBody(body io.ReadCloser, within time.Duration, s *sender) *stallBody {
	b := &stallBody{ReadCloser: body, within: within, sender: s}
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

// check aborts the request if the body has stalled. Otherwise it sets the timer for the next check.
// The Read that it was started for may have ended already.
func (b *stallBody) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.since.IsZero() || b.err != nil { // no Read is in progress, or already aborted
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
		b.sender.cancel(nil)
		return
	}
	b.waited, b.got = 0, 0
	b.timer.Reset(b.within)
}
