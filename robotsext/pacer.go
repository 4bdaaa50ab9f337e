package robotsext

import (
	"context"
	"net/url"
	"sync"
	"time"
)

// pacer decides when a request to a server may begin.
type pacer struct {
	memory  *memory // whose slots keep the traffic
	wait    func(context.Context, *url.URL) (func(), error)
	timeout time.Duration // after which a request in flight is not waited for
	now     func() time.Time
}

// traffic is what goes on between this Robots and one server, whoever asks for
// it: pages, sitemaps and robots.txt of all its origins count together
// (ROB-POL-01). Its fields are guarded by the memory's mu.
type traffic struct {
	slots int // of the memory: origins of the server

	delays map[Origin]time.Duration // that origins ask for whose pages are paced

	inFlight int
	began    time.Time // start of the latest request
	ended    time.Time // end of the latest request
	claimed  time.Time // before this the turn is somebody's who has not begun yet
	held     time.Time // before this, by Options.Now, the server wants no request

	turns   chan struct{} // holds a token while somebody's turn is next
	idle    chan struct{} // gets one when nothing is in flight any more
	waiting int           // askers; the slot stays as long
}

// waitForCaller calls Options.Fetch.Wait. done is never nil.
func (p *pacer) waitForCaller(ctx context.Context, u *url.URL) (done func(), err error) {
	if p.wait != nil {
		done, err = p.wait(ctx, u)
	}
	if done == nil {
		done = func() {}
	}
	return done, err
}

// begin counts a request to o as under way until end is called, which may be
// more than once.
func (p *pacer) begin(o Origin) (end func()) {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.traffic(o)
	f.inFlight++
	f.began = time.Now()
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
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

// hold notes that the server of o, by the Retry-After of a response, wants no request
// for so long from now on (ROB-POL-04).
func (p *pacer) hold(o Origin, wait time.Duration) {
	if wait == 0 {
		return
	}
	now := p.now()
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	if f := p.memory.servers[o.server()]; f != nil {
		f.held = latest(f.held, now.Add(wait))
	}
}

// retryAfter returns how long the server of o still wants no request; zero if one may be sent.
func (p *pacer) retryAfter(o Origin) time.Duration {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	if f := p.memory.servers[o.server()]; f != nil {
		return f.retryAfter(p.now())
	}
	return 0
}

// retryAfter is pacer.retryAfter at now. A clock that was set back makes nobody
// wait for longer than a server may ask for.
func (f *traffic) retryAfter(now time.Time) time.Duration {
	if wait := f.held.Sub(now); 0 < wait && wait <= maxRetryAfter {
		return wait
	}
	return 0
}

// await returns when a request to o may begin: when the Retry-After of its server has
// passed, and, unless delay is zero, when nothing is in flight there and the last
// request ended so long ago. Who asked first is first. The error is that of ctx.
func (p *pacer) await(ctx context.Context, o Origin, delay time.Duration) error {
	m := p.memory
	m.mu.Lock()
	f := m.traffic(o)
	if (f.waiting == 0 || delay == 0) && p.claim(f, delay) <= 0 {
		m.mu.Unlock()
		return nil
	}
	if f.turns == nil {
		f.turns, f.idle = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	f.waiting++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		f.waiting--
		m.mu.Unlock()
	}()
	select {
	case f.turns <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-f.turns }()
	for {
		m.mu.Lock()
		wait := p.claim(f, delay)
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

// claim takes the turn now if it may be taken, or says how long to wait before
// trying again. A request in flight is waited for, but no longer than
// Options.Fetch.Timeout: somebody may have forgotten to close an answer. Who has taken a
// turn may never send anything, so from start to start it is worth no more than a
// delay. The caller holds mu.
func (p *pacer) claim(f *traffic, delay time.Duration) time.Duration {
	wait := f.retryAfter(p.now())
	if delay == 0 {
		return wait
	}
	now := time.Now()
	at := latest(f.claimed, f.ended.Add(delay))
	if f.inFlight > 0 {
		at = latest(at, f.began.Add(p.timeout))
	}
	if wait = max(wait, at.Sub(now)); wait <= 0 {
		f.claimed = now.Add(delay)
	}
	return wait
}

// setDelay notes the delay that o asks for, and returns that of its server.
func (p *pacer) setDelay(o Origin, delay time.Duration) time.Duration {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.traffic(o)
	switch {
	case delay == 0:
		delete(f.delays, o)
	case f.delays == nil:
		f.delays = map[Origin]time.Duration{o: delay}
	default:
		f.delays[o] = delay
	}
	return f.delay()
}

// delayOf returns the delay of the server of o; zero where nobody paces it.
func (p *pacer) delayOf(o Origin) time.Duration {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.servers[o.server()]; f != nil {
		return f.delay()
	}
	return 0
}

// delay is the longest that an origin asks for. The caller holds mu.
func (f *traffic) delay() (longest time.Duration) {
	for _, d := range f.delays {
		longest = max(longest, d)
	}
	return longest
}

// latest is the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
