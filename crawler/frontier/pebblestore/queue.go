package pebblestore

import (
	"slices"
	"sync"
)

// A change is a change of the store.
type change interface {
	// write adds the change to b. The store is not locked.
	write(b *batch)
	// apply applies the written change to the state in memory. The store is locked.
	apply(s *Store, now instant)
}

// A request has changes that are written atomically.
type request struct {
	changes []change
	done    chan struct{} // closed when they are applied; nil if nobody waits
}

// A queue has the next work of the committer. Its lock may be acquired with that of the store.
type queue struct {
	work chan struct{} // has one element if there is work

	mu sync.Mutex // guards the fields below
	round
	closed bool
}

// A round is the work that the committer does at once.
type round struct {
	requests []*request
	marks    []*entry // entries whose attempt is to be written
	refills  []refill
	wake     *due // if not nil, scheduled URLs are due
}

// A refill is a request to read more URLs into a window.
type refill struct {
	host *host
	n    int // number of URLs
}

// due is the range of times of the scheduled URLs that are due, in Unix milliseconds.
type due struct{ from, to int64 }

// A markState says whether the attempt of an open lease is stored.
type markState uint8

const (
	unmarked markState = iota
	toMark             // in queue.marks
	marked             // stored, or in the current round
)

func (q *queue) change(f func()) {
	q.mu.Lock()
	f()
	q.mu.Unlock()
	select {
	case q.work <- struct{}{}:
	default:
	}
}

func (q *queue) push(r *request) { q.change(func() { q.requests = append(q.requests, r) }) }
func (q *queue) refill(h *host, n int) {
	q.change(func() { q.refills = append(q.refills, refill{h, n}) })
}
func (q *queue) wakeUp(d due)  { q.change(func() { q.wake = &d }) }
func (q *queue) close()        { q.change(func() { q.closed = true }) }
func (q *queue) mark(e *entry) { q.change(func() { e.marked = toMark; q.marks = append(q.marks, e) }) }

// unmark removes the mark of e and reports whether it must be deleted from the store.
func (q *queue) unmark(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	written := e.marked == marked
	e.marked = unmarked
	return written
}

// take waits for work and removes it from the queue. ok is false if the queue is closed and empty.
func (q *queue) take() (r round, ok bool) {
	for {
		q.mu.Lock()
		if len(q.requests)+len(q.marks)+len(q.refills) > 0 || q.wake != nil {
			break
		}
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return r, false
		}
		<-q.work
	}
	defer q.mu.Unlock()
	r, q.round = q.round, r
	r.marks = slices.DeleteFunc(r.marks, func(e *entry) bool { return e.marked != toMark })
	for _, e := range r.marks {
		e.marked = marked
	}
	return r, true
}
