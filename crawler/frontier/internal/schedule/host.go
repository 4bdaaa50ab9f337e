package schedule

import (
	"cmp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A Host is the scheduling state of a host, embedded in the store's host. A store that changes an
// exported field must call Place.
type Host[H, E any] struct {
	Owner   H             // the store's host that embeds this one
	Delay   time.Duration // minimum time between two requests
	Limit   int           // maximum number of requests in flight
	Clock   Instant       // earliest next request after the ended ones
	Blocked Instant       // no request before it

	slots []*Slot[H, E]       // occupied slots
	holds []*holdWaiter[H, E] // waiting holds, first come, first served

	in    *heap.Heap[*Host[H, E]] // heap that has the host; nil if none
	index int                     // in that heap
	since Instant                 // when it entered a heap, coming from none
	turn  uint64                  // order of since, for hosts that are due at the same time
	key   Instant                 // its position in the heap
}

// Before is for package heap.
func (h *Host[H, E]) Before(g *Host[H, E]) bool {
	return cmp.Or(cmp.Compare(h.key, g.key), cmp.Compare(h.turn, g.turn)) < 0
}

// Placed is for package heap.
func (h *Host[H, E]) Placed(i int) { h.index = i }

// Set changes settings of h: a delay that is not nil, a positive limit, and a later block. The
// caller must call Place.
func (h *Host[H, E]) Set(delay *time.Duration, limit int, blocked Instant) {
	if delay != nil {
		h.Delay = max(*delay, 0)
	}
	if limit > 0 {
		h.Limit = limit
	}
	h.Blocked = max(h.Blocked, blocked)
}

// Due returns the earliest time of the next request (ROB-POL-02). Clock gets the start of a
// request only when the request is known to have been made.
func (h *Host[H, E]) Due() Instant {
	due := max(h.Clock, h.Blocked)
	if h.Limit > 1 {
		for _, slot := range h.slots {
			due = max(due, Later(slot.start, h.Delay))
		}
	}
	return due
}

// Slots returns the occupied slots of h. The caller must not keep the slice.
func (h *Host[H, E]) Slots() []*Slot[H, E] { return h.slots }

// Idle reports whether h has no occupied slot and no waiting hold.
func (h *Host[H, E]) Idle() bool { return len(h.slots) == 0 && len(h.holds) == 0 }

// Requested sets the clock after a request of a slot that ended at end. The longer of delay and
// Delay applies.
func (h *Host[H, E]) Requested(slot *Slot[H, E], end Instant, delay time.Duration) {
	if h.Limit > 1 {
		end = slot.start
	}
	h.Clock = max(h.Clock, Later(end, max(delay, h.Delay)))
}
