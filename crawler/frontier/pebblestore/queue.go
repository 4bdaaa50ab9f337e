package pebblestore

import (
	"slices"
	"sync"
)

// A change is one thing that is to be written and then to be made known.
type change interface {
	// write puts what is to be written into b. The store is not locked.
	write(b *batch)
	// apply makes known what has been written. The store is locked.
	apply(s *Store, now instant)
}

// A request is changes that are written together or not at all.
type request struct {
	changes []change
	done    chan struct{} // closed when they are applied; nil: nobody waits
}

// A queue is what the committer has to do next. Its lock is taken by those that
// have the store's.
type queue struct {
	work chan struct{} // holds one word that there is work

	mu sync.Mutex // guards what follows
	round
	closed bool
}

// A round is what the committer does at a time.
type round struct {
	requests []*request
	marks    []*entry // whose attempt is to be written
	refills  []refill
	wake     *due // not nil: something that is scheduled is due
}

// A refill is a window to be read on.
type refill struct {
	host *host
	n    int // so many more
}

// due is the times of what is scheduled and due, in milliseconds since 1970.
type due struct{ from, to int64 }

// A markState says whether the attempt of an open lease is in the store.
type markState uint8

const (
	unmarked markState = iota
	toMark             // among queue.marks
	marked             // or about to be, before whatever is queued now
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

// unmark takes back the mark of e and reports whether it has to be deleted from
// the store.
func (q *queue) unmark(e *entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	written := e.marked == marked
	e.marked = unmarked
	return written
}

// take waits for work and takes it. It reports false when the queue is closed and empty.
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
