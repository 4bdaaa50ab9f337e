package robotsext

import (
	"context"
	"sync"
	"time"
)

// traffic is what goes on between this Robots and one origin, whoever asks for
// it: pages, sitemaps and robots.txt count together (ROB-POL-01). Its fields are
// guarded by the table's mu.
type traffic struct {
	inFlight int
	began    time.Time // start of the latest request
	ended    time.Time // end of the latest request
	claimed  time.Time // before this the turn is somebody's who has not begun yet
	held     time.Time // before this, by Options.Now, the origin wants no request

	turns   chan struct{} // holds a token while somebody's turn is next
	idle    chan struct{} // gets one when nothing is in flight any more
	waiting int           // askers; the slot stays as long
}

// begin counts a request to o as under way until end is called, which may be
// more than once.
func (r *Robots) begin(o Origin) (end func()) {
	t := r.table
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &t.touch(o).traffic
	f.inFlight++
	f.began = time.Now()
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		f.inFlight--
		f.ended = time.Now()
		if f.inFlight == 0 && f.idle != nil {
			select {
			case f.idle <- struct{}{}:
			default:
			}
		}
	})
}

// hold notes that o, by the Retry-After of a response, wants no request for so
// long from now on (ROB-POL-04).
func (r *Robots) hold(o Origin, wait time.Duration) {
	if wait == 0 {
		return
	}
	now := r.now()
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if s := r.table.slots[o]; s != nil {
		s.traffic.held = latest(s.traffic.held, now.Add(wait))
	}
}

// retryAfter returns how long o still wants no request; zero if one may be sent.
func (r *Robots) retryAfter(o Origin) time.Duration {
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if s := r.table.slots[o]; s != nil {
		return s.traffic.retryAfter(r.now())
	}
	return 0
}

// retryAfter is Robots.retryAfter at now. A clock that was set back makes nobody
// wait for longer than a server may ask for.
func (f *traffic) retryAfter(now time.Time) time.Duration {
	if wait := f.held.Sub(now); 0 < wait && wait <= maxRetryAfter {
		return wait
	}
	return 0
}

// await returns when a request to o may begin: when its Retry-After has passed,
// and, unless delay is zero, when nothing is in flight and the last request ended
// so long ago. Who asked first is first. The error is that of ctx.
func (r *Robots) await(ctx context.Context, o Origin, delay time.Duration) error {
	t := r.table
	t.mu.Lock()
	f := &t.touch(o).traffic
	if (f.waiting == 0 || delay == 0) && r.claim(f, delay) <= 0 {
		t.mu.Unlock()
		return nil
	}
	if f.turns == nil {
		f.turns, f.idle = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	f.waiting++
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		f.waiting--
		t.mu.Unlock()
	}()
	select {
	case f.turns <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-f.turns }()
	for {
		t.mu.Lock()
		wait := r.claim(f, delay)
		t.mu.Unlock()
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

// claim takes the turn now if it may be taken, or says how long to wait before
// trying again. A request in flight is waited for, but no longer than
// Options.Timeout: somebody may have forgotten to close an answer. Who has taken a
// turn may never send anything, so from start to start it is worth no more than a
// delay. The caller holds mu.
func (r *Robots) claim(f *traffic, delay time.Duration) time.Duration {
	wait := f.retryAfter(r.now())
	if delay == 0 {
		return wait
	}
	now := time.Now()
	at := latest(f.claimed, f.ended.Add(delay))
	if f.inFlight > 0 {
		at = latest(at, f.began.Add(r.timeout))
	}
	if wait = max(wait, at.Sub(now)); wait <= 0 {
		f.claimed = now.Add(delay)
	}
	return wait
}

// latest is the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
