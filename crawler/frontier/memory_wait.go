package frontier

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"time"
)

// Those that wait are not woken to look for themselves: whoever makes
// something free, or the timer when its time has come, leases it on behalf of
// the one that has waited longest and hands it over. So a thousand workers may
// wait, and one wakes for one URL.

// A leaseWaiter is a call of Lease that waits.
type leaseWaiter struct {
	req   LeaseRequest
	given chan []Lease // holds the one answer
	at    *list.Element
}

// A waitList is a queue whose members may leave from the middle.
type waitList struct{ list list.List }

func (q *waitList) push(w *leaseWaiter) { w.at = q.list.PushBack(w) }

func (q *waitList) first() *leaseWaiter {
	if q.list.Len() == 0 {
		return nil
	}
	return q.list.Front().Value.(*leaseWaiter)
}

func (q *waitList) remove(w *leaseWaiter) {
	q.list.Remove(w.at)
	w.at = nil
}

// A holdWaiter is a call of Hold that waits.
type holdWaiter struct {
	given chan *lease // holds the one answer
}

// await waits for the answer to w.
func (m *Memory) await(ctx context.Context, w *leaseWaiter) ([]Lease, error) {
	var timeout <-chan time.Time
	if w.req.Wait > 0 {
		t := time.NewTimer(w.req.Wait)
		defer t.Stop()
		timeout = t.C
	}
	var err error
	select {
	case leases := <-w.given:
		return leases, nil
	case <-timeout:
	case <-ctx.Done():
		err = ctx.Err()
	case <-m.done:
		err = ErrClosed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.at == nil { // served in the meantime
		return <-w.given, nil
	}
	m.waiters.remove(w)
	return nil, err
}

// Hold implements Frontier.
func (m *Memory) Hold(ctx context.Context, name Host) (func(time.Duration), error) {
	if name == "" {
		return nil, fmt.Errorf("%w: no host", ErrInvalid)
	}
	now, err := m.enter(ctx)
	if err != nil {
		return nil, err
	}
	h := m.host(name)
	w := &holdWaiter{given: make(chan *lease, 1)}
	h.holds = append(h.holds, w)
	m.holding++
	m.place(h, now)
	m.leave(now)

	select {
	case l := <-w.given:
		return m.releaser(l), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-m.done:
		err = ErrClosed
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case l := <-w.given: // served in the meantime
		return m.releaser(l), nil
	default:
	}
	m.unhold(h, w)
	if !m.closed {
		now := m.advance()
		m.place(h, now)
		m.serve(now)
	}
	return nil, err
}

// unhold takes w from those that wait for h.
func (m *Memory) unhold(h *host, w *holdWaiter) {
	i := slices.Index(h.holds, w)
	h.holds = slices.Delete(h.holds, i, i+1)
	m.holding--
}

// releaser returns the function that ends the hold l.
func (m *Memory) releaser(l *lease) func(time.Duration) {
	return func(delay time.Duration) {
		now, err := m.enter(context.Background())
		if err != nil {
			return
		}
		defer m.leave(now)
		if m.leases[l.id] != l {
			return // released before, or expired
		}
		if delay > 0 {
			l.host.requested(l, now, delay)
		}
		m.end(l, now)
	}
}

// serve hands what is free to those that wait, holds first, and sets the timer
// for what will be free next.
func (m *Memory) serve(now instant) {
	for {
		h, ok := m.held.top()
		if !ok || h.key > now {
			break
		}
		w := h.holds[0]
		m.unhold(h, w)
		w.given <- m.open(h, nil, m.opts.LeaseTime, now)
		m.place(h, now)
	}
	for w := m.waiters.first(); w != nil; w = m.waiters.first() {
		leases := m.take(w.req, now)
		if len(leases) == 0 {
			break
		}
		m.waiters.remove(w)
		w.given <- leases
	}
	m.arm(now)
}

// arm sets the timer for the next time at which one that waits may be served.
func (m *Memory) arm(now instant) {
	next := firstKey(m.held)
	if m.waiters.first() != nil {
		next = min(next, firstKey(m.due), m.firstReady())
	}
	if l, ok := m.expiry.top(); ok && (m.waiters.first() != nil || m.holding > 0) {
		next = min(next, l.expires)
	}
	if next == m.armed {
		return
	}
	m.armed = next
	switch {
	case m.timer == nil:
		m.timer = time.AfterFunc(next-now, m.tick)
	case next == never:
		m.timer.Stop()
	default:
		m.timer.Reset(next - now)
	}
}

func (m *Memory) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.armed = never
	m.serve(m.advance())
}

func firstKey(hosts heap[*host]) instant {
	if h, ok := hosts.top(); ok {
		return h.key
	}
	return never
}

func (m *Memory) firstReady() instant {
	if e, ok := m.sleep.top(); ok {
		return e.ready
	}
	return never
}
