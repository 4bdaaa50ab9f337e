package schedule

import (
	"context"
	"slices"
	"time"
)

// Waiting calls do not wake to look for URLs themselves. The call that frees a slot, or the timer,
// leases it on behalf of the call that has waited longest. So of a thousand waiting workers, one
// wakes for each URL.

// A leaseWaiter is a waiting call of Lease.
type leaseWaiter[H, E any] struct {
	req    Request
	give   func(*Slot[H, E], Instant)
	served chan struct{} // closed when give has been called
}

// A holdWaiter is a waiting call of Hold.
type holdWaiter[H, E any] struct {
	given chan *Slot[H, E] // buffered, for the one result
}

// await waits until w is served.
func (s *Schedule[H, E]) await(ctx context.Context, w *leaseWaiter[H, E]) error {
	var timeout <-chan time.Time
	if w.req.Wait > 0 {
		timeout = time.After(w.req.Wait)
	}
	var err error
	select {
	case <-w.served:
		return nil
	case <-timeout:
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiters, w)
	if i < 0 { // served in the meantime
		return nil
	}
	s.waiters = slices.Delete(s.waiters, i, i+1)
	if s.err != nil {
		return s.err
	}
	return err
}

// Hold waits for a slot of h. It is called instead of Exit and releases the lock. release acquires
// the lock itself.
func (s *Schedule[H, E]) Hold(ctx context.Context, h *Host[H, E], now Instant) (release func(delay time.Duration), err error) {
	w := &holdWaiter[H, E]{given: make(chan *Slot[H, E], 1)}
	h.holds = append(h.holds, w)
	s.holding++
	s.Place(h, now)
	s.Exit(now)

	select {
	case slot := <-w.given:
		return s.releaser(slot), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case slot := <-w.given: // served in the meantime
		return s.releaser(slot), nil
	default:
	}
	s.removeHold(h, w)
	if s.err != nil {
		return nil, s.err
	}
	now = s.advance()
	s.Place(h, now)
	s.serve(now)
	return nil, err
}

// removeHold removes w from the waiting holds of h.
func (s *Schedule[H, E]) removeHold(h *Host[H, E], w *holdWaiter[H, E]) {
	i := slices.Index(h.holds, w)
	h.holds = slices.Delete(h.holds, i, i+1)
	s.holding--
}

// releaser returns the function that ends the hold of slot.
func (s *Schedule[H, E]) releaser(slot *Slot[H, E]) func(time.Duration) {
	return func(delay time.Duration) {
		now, err := s.Enter(context.Background())
		if err != nil {
			return
		}
		defer s.Exit(now)
		if slot.index < 0 {
			return // released before, or expired
		}
		if delay > 0 {
			slot.Host.Requested(slot, now, delay)
			s.notifyHold(slot.Host, now)
		}
		s.End(slot, now)
	}
}

func (s *Schedule[H, E]) notifyHold(h *Host[H, E], now Instant) {
	if s.store.OnHold != nil {
		s.store.OnHold(h.Owner, now)
	}
}

// serve gives free slots to waiting calls, holds first, and sets the timer for the next one.
func (s *Schedule[H, E]) serve(now Instant) {
	for {
		h, ok := s.held.Top()
		if !ok || h.key > now {
			break
		}
		w := h.holds[0]
		s.removeHold(h, w)
		slot := s.open(h, s.leaseTime, now)
		slot.hold = true
		w.given <- slot
		s.notifyHold(h, now)
		s.Place(h, now)
	}
	for len(s.waiters) > 0 && s.leaseNow(s.waiters[0].req, s.waiters[0].give, now) {
		close(s.waiters[0].served)
		s.waiters = slices.Delete(s.waiters, 0, 1)
	}
	s.arm(now)
}

// arm sets the timer for the next time at which a waiting call may be served.
func (s *Schedule[H, E]) arm(now Instant) {
	next := firstKey(s.held)
	if len(s.waiters) > 0 {
		next = min(next, firstKey(s.due), s.store.Next())
	}
	if slot, ok := s.expiry.Top(); ok && (len(s.waiters) > 0 || s.holding > 0) {
		next = min(next, slot.expires)
	}
	if next == s.armed {
		return
	}
	s.armed = next
	switch {
	case s.timer == nil:
		s.timer = time.AfterFunc(next-now, s.tick)
	case next == Never:
		s.timer.Stop()
	default:
		s.timer.Reset(next - now)
	}
}

func (s *Schedule[H, E]) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.armed = Never
	s.serve(s.advance())
}
