package schedule

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// A Slot is a request slot of a host that a lease or hold occupies.
type Slot[H, E any] struct {
	ID    string // of the lease; empty for a hold
	Host  *Host[H, E]
	Entry E // the leased URL, set by the store

	hold           bool
	start, expires Instant
	index          int // in Schedule.expiry; -1 if not there
}

// Before is for package heap.
func (slot *Slot[H, E]) Before(other *Slot[H, E]) bool { return slot.expires < other.expires }

// Placed is for package heap.
func (slot *Slot[H, E]) Placed(i int) { slot.index = i }

// Expires returns the time when the slot expires.
func (slot *Slot[H, E]) Expires() Instant { return slot.expires }

// A Request has the fields of frontier.LeaseRequest.
type Request struct {
	Max      int
	PerHost  int
	Wait     time.Duration
	Duration time.Duration
}

// Lease calls give for each slot that it leases, with the lock held and the host in no heap. It
// acquires the lock itself. It waits for up to req.Wait if no slot is available.
func (s *Schedule[H, E]) Lease(ctx context.Context, req Request, give func(*Slot[H, E], Instant)) error {
	req.Max = max(req.Max, 1)
	if req.PerHost <= 0 {
		req.PerHost = req.Max
	}
	if req.Duration <= 0 {
		req.Duration = s.leaseTime
	}
	now, err := s.Enter(ctx)
	if err != nil {
		return err
	}
	s.serve(now) // earlier calls first
	if s.leaseNow(req, give, now) || req.Wait == 0 {
		s.mu.Unlock()
		return nil
	}
	w := &leaseWaiter[H, E]{req: req, give: give, served: make(chan struct{})}
	s.waiters = append(s.waiters, w)
	s.Exit(now)
	return s.await(ctx, w)
}

// leaseNow leases slots that are available now, within the limits of req. It reports whether there
// was one.
func (s *Schedule[H, E]) leaseNow(req Request, give func(*Slot[H, E], Instant), now Instant) bool {
	n, counting := 0, req.PerHost < req.Max
	var taken, full []*Host[H, E] // full: hosts at the limit of req
	for ; n < req.Max; n++ {
		h, ok := s.due.Top()
		if !ok || h.key > now {
			break
		}
		s.due.Remove(0)
		h.in = nil
		s.Token++
		slot := s.open(h, req.Duration, now)
		slot.ID = strconv.FormatUint(s.Token, 36)
		s.leases[slot.ID] = slot
		give(slot, now)
		if counting {
			if taken = append(taken, h); count(taken, h) >= req.PerHost {
				full = append(full, h)
				continue
			}
		}
		s.Place(h, now)
	}
	for _, h := range full {
		s.Place(h, now)
	}
	return n > 0
}

func count[T comparable](list []T, x T) (n int) {
	for _, y := range list {
		if y == x {
			n++
		}
	}
	return n
}

// open occupies a slot of h.
func (s *Schedule[H, E]) open(h *Host[H, E], length time.Duration, now Instant) *Slot[H, E] {
	slot := &Slot[H, E]{Host: h, start: now, expires: Later(now, length)}
	s.expiry.Push(slot)
	h.slots = append(h.slots, slot)
	return slot
}

// Find returns the slot of a lease, or nil if the lease is lost.
func (s *Schedule[H, E]) Find(id string) *Slot[H, E] { return s.leases[id] }

// Detach detaches a slot from its lease. It no longer expires, Find does not return it, and it
// stays occupied until End.
func (s *Schedule[H, E]) Detach(slot *Slot[H, E]) {
	delete(s.leases, slot.ID)
	if slot.index >= 0 {
		s.expiry.Remove(slot.index)
	}
}

// End frees a slot.
func (s *Schedule[H, E]) End(slot *Slot[H, E], now Instant) {
	s.Detach(slot)
	h := slot.Host
	i := slices.Index(h.slots, slot)
	h.slots = slices.Delete(h.slots, i, i+1)
	if len(h.slots) == 0 {
		h.slots = nil
	}
	s.Place(h, now)
}

// Extend extends leases until d from now, never shortens them, and returns the lost ones. It
// acquires the lock itself.
func Extend[ID ~string, H, E any](ctx context.Context, s *Schedule[H, E], ids []ID, d time.Duration) (lost []ID, err error) {
	now, err := s.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Exit(now)
	for _, id := range ids {
		slot := s.Find(string(id))
		if slot == nil {
			lost = append(lost, id)
			continue
		}
		slot.expires = max(slot.expires, Later(now, d))
		s.expiry.Fix(slot.index)
	}
	return lost, nil
}
