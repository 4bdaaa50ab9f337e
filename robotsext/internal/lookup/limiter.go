package lookup

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

// Limiter decides when a request to a server may start.
type Limiter struct {
	memory  *memory // its slots hold the traffic
	wait    func(context.Context, *url.URL) (func(), error)
	timeout time.Duration // after which a request in flight is not waited for
	now     func() time.Time
}

// traffic counts the requests of this Robots to one server: pages, sitemaps, robots.txt and
// tdmrep.json of all its origins (ROB-POL-01). The memory's mu guards the fields.
type traffic struct {
	slots int // number of memory slots, one for each origin of the server

	delays map[record.Origin]time.Duration // Crawl-delay of origins with ObeyCrawlDelay

	inFlight      int
	began         time.Time // start of the latest request
	ended         time.Time // end of the latest request
	reservedUntil time.Time // reserved until then by a request that has not started
	retryAt       time.Time // end of the server's Retry-After, by Options.Now

	next    chan struct{} // holds a token while a caller is next
	idle    chan struct{} // receives a token when no request is in flight any more
	waiting int           // waiting callers; they keep the slot in memory
}

// serverOf returns the name of the server of an origin, which other origins may share.
func serverOf(o record.Origin) string {
	_, authority, _ := strings.Cut(string(o), "://")
	return serverkey.Of(authority)
}

// WaitForCaller calls Options.Fetch.Wait. It never returns a nil done.
func (p *Limiter) WaitForCaller(ctx context.Context, u *url.URL) (done func(), err error) {
	if p.wait != nil {
		done, err = p.wait(ctx, u)
	}
	if done == nil {
		done = func() {}
	}
	return done, err
}

// Begin counts a request to o as in flight until end is called. Calling end again has
// no effect.
func (p *Limiter) Begin(o record.Origin) (end func()) {
	t := p.start(o)
	return sync.OnceFunc(func() { p.end(t) })
}

// start counts a request to o as in flight, until end is called once for its traffic.
func (p *Limiter) start(o record.Origin) *traffic {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	t := p.memory.traffic(o)
	t.inFlight++
	t.began = time.Now()
	return t
}

// end ends a request of start. A nil t has no effect.
func (p *Limiter) end(t *traffic) {
	if t == nil {
		return
	}
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	t.inFlight--
	t.ended = time.Now()
	if t.inFlight == 0 && t.idle != nil {
		select {
		case t.idle <- struct{}{}:
		default:
		}
	}
}

// noteRetryAfter notes a Retry-After of the server of o, from now (ROB-POL-04).
func (p *Limiter) noteRetryAfter(o record.Origin, wait time.Duration) {
	if wait == 0 {
		return
	}
	now := p.now()
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	if f := p.memory.servers[serverOf(o)]; f != nil {
		f.retryAt = latest(f.retryAt, now.Add(wait))
	}
}

// RetryAfter returns the remaining Retry-After of the server of o.
func (p *Limiter) RetryAfter(o record.Origin) time.Duration {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	if f := p.memory.servers[serverOf(o)]; f != nil {
		return f.retryAfter(p.now())
	}
	return 0
}

// retryAfter returns the remaining Retry-After at now. If a clock was set back, it
// ignores a time beyond the maximum.
func (f *traffic) retryAfter(now time.Time) time.Duration {
	if wait := f.retryAt.Sub(now); 0 < wait && wait <= maxRetryAfter {
		return wait
	}
	return 0
}

// Await waits until a request to o may start: until the Retry-After of its server has
// passed. With a delay it also waits until no request is in flight and the last one
// ended that long ago. Callers are served in order. The error is that of ctx.
func (p *Limiter) Await(ctx context.Context, o record.Origin, delay time.Duration) error {
	m := p.memory
	m.mu.Lock()
	f := m.traffic(o)
	if (f.waiting == 0 || delay == 0) && p.reserve(f, delay) <= 0 {
		m.mu.Unlock()
		return nil
	}
	if f.next == nil {
		f.next, f.idle = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	f.waiting++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		f.waiting--
		m.mu.Unlock()
	}()
	select {
	case f.next <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-f.next }()
	for {
		m.mu.Lock()
		wait := p.reserve(f, delay)
		m.mu.Unlock()
		if wait <= 0 {
			return nil
		}
		due := time.NewTimer(wait)
		select {
		case <-due.C:
		case <-f.idle:
		case <-ctx.Done():
		}
		due.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// reserve reserves the next request if it may start now, or returns how long to wait. It
// waits at most Options.Fetch.Timeout for a request in flight: its body may never be
// closed. A reservation without a request expires after the delay. The caller holds
// mu.
func (p *Limiter) reserve(f *traffic, delay time.Duration) time.Duration {
	wait := f.retryAfter(p.now())
	if delay == 0 {
		return wait
	}
	now := time.Now()
	at := latest(f.reservedUntil, f.ended.Add(delay))
	if f.inFlight > 0 {
		at = latest(at, f.began.Add(p.timeout))
	}
	if wait = max(wait, at.Sub(now)); wait <= 0 {
		f.reservedUntil = now.Add(delay)
	}
	return wait
}

// SetDelay sets the delay of o and returns that of its server.
func (p *Limiter) SetDelay(o record.Origin, delay time.Duration) time.Duration {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.traffic(o)
	switch {
	case delay == 0:
		delete(f.delays, o)
	case f.delays == nil:
		f.delays = map[record.Origin]time.Duration{o: delay}
	default:
		f.delays[o] = delay
	}
	return f.delay()
}

// DelayOf returns the delay of the server of o, zero without ObeyCrawlDelay.
func (p *Limiter) DelayOf(o record.Origin) time.Duration {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.servers[serverOf(o)]; f != nil {
		return f.delay()
	}
	return 0
}

// delay returns the longest delay of the server's origins. The caller holds mu.
func (f *traffic) delay() (longest time.Duration) {
	for _, d := range f.delays {
		longest = max(longest, d)
	}
	return longest
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

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

// countedBody is the body of a response. The request is in flight until it is read or closed.
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
