// Package schedule decides which host may be asked next. It is what the stores
// that keep their hosts in memory have in common: the slots and the clock of
// each host, the turns that hosts take, the ends of leases, and the calls that
// wait for any of these.
//
// It knows neither URLs nor what becomes of them. A store embeds a Host in what
// it keeps of a host, says through the functions of a Store whether there is
// something to lease, and is given a Slot for each turn.
//
// All that belongs to a Schedule is guarded by one lock, which a store takes by
// Enter and gives back by Exit, and which may guard what is the store's as
// well. Methods are called with that lock held where they do not say otherwise.
package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A Store is what a Schedule asks of the store that it serves: of H, its hosts,
// and of E, its URLs in somebody's hands. All are called with the lock held.
type Store[H, E any] struct {
	// Ready reports whether h has a URL to lease as soon as h is due.
	Ready func(h H) bool
	// Expired takes back the URL of a lease that has run out.
	Expired func(s *Slot[H, E], now Instant)
	// Wake makes ready what was scheduled for now or before.
	Wake func(now Instant)
	// Next returns for when the next URL is scheduled, or Never.
	Next func() Instant
	// Held, when not nil, is told of a host that a hold begins for, or has
	// set the clock of.
	Held func(h H, now Instant)
	// Idle, when not nil, is told of a host that neither has a URL ready nor
	// a slot taken, and that nobody waits for.
	Idle func(h H)
}

// A Schedule is the scheduling part of a store.
type Schedule[H, E any] struct {
	// Wall is what callers' times are compared with. It is time.Now, and not
	// changed but by tests.
	Wall func() time.Time
	// Token is the number of the last lease. A store whose leases outlive it
	// begins where no earlier one has been.
	Token uint64

	store     Store[H, E]
	leaseTime time.Duration
	base      time.Time     // Instant 0
	done      chan struct{} // closed by Close

	mu      sync.Mutex             // guards what follows, and all that it leads to
	err     error                  // not nil: closed
	due     heap.Heap[*Host[H, E]] // those with a URL that is ready and a free slot
	held    heap.Heap[*Host[H, E]] // those that a Hold waits for, with a free slot
	expiry  heap.Heap[*Slot[H, E]] // those that may expire
	leases  map[string]*Slot[H, E] // those of leases, by ID
	turns   uint64                 // the last host's
	waiters []*leaseWaiter[H, E]   // first come, first served
	holding int                    // Holds that wait
	timer   *time.Timer            // runs tick when the first waiter may be served
	armed   Instant                // for when it is set
}

// New returns a Schedule whose leases and holds last for leaseTime where nobody
// says how long.
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

// Enter takes the lock and brings the schedule up to the present, which it
// returns. On an error, which is that of the context or of Close, the lock is
// not held.
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

// Exit serves those that wait from what has become free, and gives the lock
// back.
func (s *Schedule[H, E]) Exit(now Instant) {
	s.serve(now)
	s.mu.Unlock()
}

// Close makes all calls return err, also those that wait. It takes the lock
// itself. Only the first call does anything, and reports so.
func (s *Schedule[H, E]) Close(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return false
	}
	s.err = err
	close(s.done)
	if s.timer != nil {
		s.timer.Stop()
	}
	return true
}

// advance ends what has expired and wakes what was scheduled, and returns the
// present.
func (s *Schedule[H, E]) advance() Instant {
	now := time.Since(s.base)
	for {
		slot, ok := s.expiry.Top()
		if !ok || slot.expires > now {
			break
		}
		slot.Host.Requested(slot, slot.expires, 0) // for all we know
		s.End(slot, now)
		if !slot.hold {
			s.store.Expired(slot, now)
		}
	}
	s.store.Wake(now)
	return now
}

// Place puts h into the heap in which it belongs now, if any. It is to be
// called after each change of what that depends on. In its heap the time counts
// at which h became due, or else came in: a host that was leased from, or that
// is new, stands behind all that are due by then.
func (s *Schedule[H, E]) Place(h *Host[H, E], now Instant) {
	var in *heap.Heap[*Host[H, E]]
	switch {
	case len(h.slots) >= h.Limit:
	case len(h.holds) > 0:
		in = &s.held
	case s.store.Ready(h.Owner):
		in = &s.due
	case len(h.slots) == 0 && s.store.Idle != nil:
		s.store.Idle(h.Owner)
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

// NextDue returns the earliest instant at which something could be leased, as
// far as that is a matter of time, or Never.
func (s *Schedule[H, E]) NextDue() Instant {
	return min(firstKey(s.due), firstKey(s.held), s.store.Next())
}

func firstKey[H, E any](hosts heap.Heap[*Host[H, E]]) Instant {
	if h, ok := hosts.Top(); ok {
		return h.key
	}
	return Never
}
