package lookup

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/record"
)

// Transmit sends req to o through base, and notes what Limiter and outages need. An empty o is not
// noted.
func (l *Lookup) Transmit(o record.Origin, req *http.Request, base http.RoundTripper) (*http.Response, error) {
	var t *traffic
	if o != "" {
		t = l.Limiter.start(o)
	}
	var resp *http.Response
	defer func() {
		if resp == nil { // also if base panics
			l.Limiter.end(t)
		}
	}()
	var err error
	if resp, err = roundtrip.Complete(base.RoundTrip(req)); err != nil {
		return nil, err
	}
	now := l.Now()
	if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		l.memory.noteResponse(o, now) // ROB-STA-10
	}
	wait := RetryAfter(resp.Header, now)
	l.Limiter.noteRetryAfter(o, wait)
	if resp.Body == http.NoBody { // often not closed by callers
		l.Limiter.end(t)
	} else {
		resp.Body = roundtrip.KeepWriter(&countedBody{ReadCloser: resp.Body, limiter: l.Limiter, traffic: t, origin: o, wait: wait}, resp.Body)
	}
	return resp, nil
}

// countedBody is the body of a response whose request is in flight until it was read or is closed.
type countedBody struct {
	io.ReadCloser
	limiter *Limiter
	traffic *traffic
	origin  record.Origin
	wait    time.Duration // Retry-After
	ended   atomic.Bool
}

// Read reads the body. At its end the request ends, because a program may close it much later.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

// Close closes the body and ends the request.
func (b *countedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

func (b *countedBody) end() {
	if !b.ended.Swap(true) {
		b.limiter.noteRetryAfter(b.origin, b.wait) // it counts from the end of the response
		b.limiter.end(b.traffic)
	}
}
