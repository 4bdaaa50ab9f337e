package schedule

import (
	"cmp"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A Host is the part of a store's host that the schedule goes by. A store that
// changes an exported field calls Place.
type Host[H, E any] struct {
	Owner   H             // the store's host that this is part of
	Delay   time.Duration // the least between two requests
	Limit   int           // most in flight
	Clock   Instant       // what requests that have ended have asked for
	Blocked Instant       // not before

	slots []*Slot[H, E]       // those taken
	holds []*holdWaiter[H, E] // first come, first served

	in    *heap.Heap[*Host[H, E]] // nil: in none
	index int                     // in that heap
	since Instant                 // when it came into a heap, from none
	turn  uint64                  // number of that event: those due at the same time take turns
	key   Instant                 // by which it is there
}

// Before is for package heap.
func (h *Host[H, E]) Before(g *Host[H, E]) bool {
	return cmp.Or(cmp.Compare(h.key, g.key), cmp.Compare(h.turn, g.turn)) < 0
}

// Placed is for package heap.
func (h *Host[H, E]) Placed(i int) { h.index = i }

// Set changes settings of h: a delay that is not nil, a limit above zero, and a block that
// is longer than the one before. The caller calls Place.
func (h *Host[H, E]) Set(delay *time.Duration, limit int, blocked Instant) {
	if delay != nil {
		h.Delay = max(*delay, 0)
	}
	if limit > 0 {
		h.Limit = limit
	}
	h.Blocked = max(h.Blocked, blocked)
}

// Due is when the clock of h allows the next request (ROB-POL-02). Starts are
// not written to Clock until the request is known to have been made.
func (h *Host[H, E]) Due() Instant {
	due := max(h.Clock, h.Blocked)
	if h.Limit > 1 {
		for _, slot := range h.slots {
			due = max(due, Later(slot.start, h.Delay))
		}
	}
	return due
}

// Slots returns the slots of h that are taken. The slice is not to be kept.
func (h *Host[H, E]) Slots() []*Slot[H, E] { return h.slots }

// Idle reports that h has no slot taken and that nobody waits for one.
func (h *Host[H, E]) Idle() bool { return len(h.slots) == 0 && len(h.holds) == 0 }

// Requested sets the clock for a request that a slot was taken for and that
// ended at end. It is kept to the longer of delay and Delay.
func (h *Host[H, E]) Requested(slot *Slot[H, E], end Instant, delay time.Duration) {
	if h.Limit > 1 {
		end = slot.start
	}
	h.Clock = max(h.Clock, Later(end, max(delay, h.Delay)))
}
