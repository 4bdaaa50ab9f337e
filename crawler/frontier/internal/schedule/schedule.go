// Package schedule decides which host may be requested next, for stores that keep their hosts in
// memory. It has the slots and the clock of each host, the order of hosts, the expiry of leases,
// and the waiting calls.
//
// It does not handle URLs. A store embeds a Host in its own hosts, reports through the functions
// of a Store which hosts have URLs, and gets a Slot for each lease.
//
// One lock guards a Schedule. A store acquires it with Enter and releases it with Exit, and may
// use it for its own state too. Methods need this lock unless their comment says otherwise.
package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A Store has the functions of a store that a Schedule calls, with the lock held. H are the hosts
// of the store, and E its leased URLs.
type Store[H, E any] struct {
	// Ready reports whether h has a URL to lease as soon as h is due.
	Ready func(h H) bool
	// OnExpired is called for an expired lease.
	OnExpired func(s *Slot[H, E], now Instant)
	// Wake makes scheduled URLs pending that are due.
	Wake func(now Instant)
	// Next returns the time of the next scheduled URL, or Never.
	Next func() Instant
	// OnHold, if not nil, is called when a hold begins or sets the clock of its host.
	OnHold func(h H, now Instant)
	// OnIdle, if not nil, is called for a host without ready URLs, occupied slots and
	// waiting holds.
	OnIdle func(h H)
}

// A Schedule is the scheduling part of a store.
type Schedule[H, E any] struct {
	// Wall is the clock of the callers' times. It is time.Now, except in tests.
	Wall func() time.Time
	// Token is the number of the last lease. A durable store starts it above all earlier
	// leases.
	Token uint64

	store     Store[H, E]
	leaseTime time.Duration
	base      time.Time     // Instant 0
	done      chan struct{} // closed by Close

	mu      sync.Mutex             // guards the fields below and the hosts
	err     error                  // not nil if closed
	due     heap.Heap[*Host[H, E]] // hosts with a ready URL and a free slot
	held    heap.Heap[*Host[H, E]] // hosts with a waiting Hold and a free slot
	expiry  heap.Heap[*Slot[H, E]] // slots that may expire
	leases  map[string]*Slot[H, E] // slots of leases by ID
	turns   uint64                 // the last Host.turn
	waiters []*leaseWaiter[H, E]   // first come, first served
	holding int                    // number of waiting Holds
	timer   *time.Timer            // runs tick when the first waiter may be served
	armed   Instant                // time of timer
}

// New returns a Schedule. leaseTime is the duration of holds, and of leases without Duration.
func New[H, E any](store Store[H, E], leaseTime time.Duration) *Schedule[H, E] {
	return &Schedule[H, E]{
		Wall:      time.Now,
		store:     store,
		leaseTime: leaseTime,
		base:      time.Now(),
		done:      make(chan struct{}),
		leases:    make(map[string]*Slot[H, E]),
		armed:     Never,
	}
}

// Enter acquires the lock, updates the schedule to the current time, and returns that time. After
// an error, of the context or of Close, the lock is not held.
func (s *Schedule[H, E]) Enter(ctx context.Context) (now Instant, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	if s.err != nil {
		defer s.mu.Unlock()
		return 0, s.err
	}
	return s.advance(), nil
}

// Lock is Enter for the store's own work, which a closed schedule does not end.
func (s *Schedule[H, E]) Lock() (now Instant) {
	s.mu.Lock()
	if s.err != nil {
		return time.Since(s.base)
	}
	return s.advance()
}

// Exit serves waiting calls, unless the schedule is closed, and releases the lock.
func (s *Schedule[H, E]) Exit(now Instant) {
	if s.err == nil {
		s.serve(now)
	}
	s.mu.Unlock()
}

// Close makes all calls return err, including waiting ones. It acquires the lock itself. Only the
// first call has an effect.
func (s *Schedule[H, E]) Close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = err
	close(s.done)
	if s.timer != nil {
		s.timer.Stop()
	}
}

// advance ends expired leases, wakes scheduled URLs, and returns the current time.
func (s *Schedule[H, E]) advance() Instant {
	now := time.Since(s.base)
	for {
		slot, ok := s.expiry.Top()
		if !ok || slot.expires > now {
			break
		}
		slot.Host.Requested(slot, slot.expires, 0) // it may have made a request
		s.End(slot, now)
		if !slot.hold {
			s.store.OnExpired(slot, now)
		}
	}
	s.store.Wake(now)
	return now
}

// Place moves h into the right heap, or out of all. It must be called after each change of h. The
// heap is ordered by the time when h became due or, if later, entered the heap. So a host that is
// new or was just leased from comes after all hosts that are due.
func (s *Schedule[H, E]) Place(h *Host[H, E], now Instant) {
	var in *heap.Heap[*Host[H, E]]
	switch {
	case len(h.slots) >= h.Limit:
	case len(h.holds) > 0:
		in = &s.held
	case s.store.Ready(h.Owner):
		in = &s.due
	case len(h.slots) == 0 && s.store.OnIdle != nil:
		s.store.OnIdle(h.Owner)
	}
	if in != nil && h.in == nil {
		s.turns++
		h.since, h.turn = now, s.turns
	}
	key := max(h.Due(), h.since)
	if in == h.in && key == h.key {
		return
	}
	if h.in != nil {
		h.in.Remove(h.index)
	}
	h.in, h.key = in, key
	if in != nil {
		in.Push(h)
	}
}

// NextDue returns the earliest instant at which a URL can be leased without the end of another
// lease, or Never.
func (s *Schedule[H, E]) NextDue() Instant {
	return min(firstKey(s.due), firstKey(s.held), s.store.Next())
}

func firstKey[H, E any](hosts heap.Heap[*Host[H, E]]) Instant {
	if h, ok := hosts.Top(); ok {
		return h.key
	}
	return Never
}
