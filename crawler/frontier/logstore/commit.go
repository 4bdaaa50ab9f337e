package logstore

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// A change is one record to be written, and what it does to the index when it is written.
type change interface {
	append(body []byte) []byte
	apply(s *Store, at int64, size int, now instant)
}

// A request has the changes of one call. They are written in one frame.
type request struct {
	changes []change
	joins   bool          // it waits for earlier requests, even without changes
	done    chan struct{} // closed when they are applied or have failed
	err     error
}

func newRequest() *request { return &request{done: make(chan struct{})} }

// A commits queue has what the next round writes. There is no goroutine for it: the first caller that
// waits for its request writes it, together with all others that are queued by then.
type commits struct {
	mu       sync.Mutex
	requests []*request
	attempts []*entry // leases whose attempts are to be written; nobody waits for them
	busy     bool     // a caller is writing
	idle     *sync.Cond
}

// push queues a request. The lock of the schedule is held, so requests are written in the order in
// which they changed the index.
func (s *Store) push(r *request) {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	s.queue.requests = append(s.queue.requests, r)
}

// background queues changes that nobody waits for.
func (s *Store) background(c ...change) {
	r := newRequest()
	r.changes = c
	s.push(r)
	if s.lead() {
		go s.commitAll()
	}
}

// attempt queues the attempt of a lease.
func (q *commits) attempt(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.attempts = append(q.attempts, e)
}

// end says that a lease has ended, so that its attempt need not be written.
func (q *commits) end(e *entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e.ended = true
}

// lead reports whether the caller must write what is queued, since nobody else writes.
func (s *Store) lead() bool {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	if s.queue.busy || len(s.queue.requests)+len(s.queue.attempts) == 0 {
		return false
	}
	s.queue.busy = true
	return true
}

// wait waits until a request is applied.
func (s *Store) wait(r *request) error {
	if s.lead() {
		s.commitOnce()
	}
	<-r.done
	return r.err
}

// commitOnce writes the requests that are queued, and leaves later ones to another goroutine. The caller
// leads.
func (s *Store) commitOnce() {
	if s.next() {
		go s.commitAll()
	}
}

// commitAll writes until nothing is queued. The caller leads.
func (s *Store) commitAll() {
	for s.next() {
	}
}

// next writes what is queued, and reports whether more has been queued meanwhile. If not, the caller no
// longer leads.
func (s *Store) next() bool {
	s.queue.mu.Lock()
	requests := s.queue.requests
	attempts := slices.DeleteFunc(s.queue.attempts, func(e *entry) bool { return e.ended })
	s.queue.requests, s.queue.attempts = nil, nil
	s.queue.mu.Unlock()
	s.round(requests, attempts)
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	if len(s.queue.requests)+len(s.queue.attempts) > 0 {
		return true
	}
	s.queue.busy = false
	s.queue.idle.Broadcast()
	return false
}

// round writes requests in one frame, and applies them.
func (s *Store) round(requests []*request, attempts []*entry) {
	err := s.failure()
	var places []place // of the records of the requests
	if err == nil {
		places, err = s.write(requests, attempts)
	}
	if err != nil {
		s.fail(err)
		for _, r := range requests {
			r.err = s.failure()
			close(r.done)
		}
		return
	}
	now := s.sched.Lock()
	for _, r := range requests {
		for i, c := range r.changes {
			c.apply(s, places[i].at, places[i].size, now)
		}
		places = places[len(r.changes):]
	}
	s.retire(now) // hosts whose records were written
	s.sched.Exit(now)
	for _, r := range requests {
		close(r.done)
	}
}

// maxKept is the size of the largest frame whose memory the next one uses.
const maxKept = 1 << 20

// A place is where a record is.
type place struct {
	at   int64
	size int // of its body
}

// write writes a frame, and returns the place of the record of each change.
func (s *Store) write(requests []*request, attempts []*entry) (places []place, err error) {
	frame, body := s.frame[:headSize], s.body
	for _, e := range attempts {
		body = appendAttempt(body[:0], attempt{e.At, int(e.Attempts), e.Seq})
		frame = appendRecord(frame, s.file.salt, body)
	}
	for _, r := range requests {
		for _, c := range r.changes {
			body = c.append(body[:0])
			places = append(places, place{s.file.size + int64(len(frame)), len(body)})
			frame = appendRecord(frame, s.file.salt, body)
		}
	}
	if s.body = body; len(frame) <= maxKept {
		s.frame = frame
	}
	if len(frame) == headSize {
		return nil, nil
	}
	if err := s.file.append(frame); err != nil {
		return nil, fmt.Errorf("cannot write the frontier: %w", err)
	}
	if s.opts.Durability == Power { // so only the last frame can be torn
		if err := durable.File(s.file.File); err != nil {
			return nil, fmt.Errorf("cannot sync the frontier: %w", err)
		}
	}
	return places, nil
}

// drain waits until nothing is queued or being written. The schedule is closed, so that no call queues
// more.
func (s *Store) drain() {
	if s.lead() {
		s.commitAll()
	}
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	for s.queue.busy {
		s.queue.idle.Wait()
	}
}

// fail makes all calls return err, including waiting ones.
func (s *Store) fail(err error) {
	if s.broken.CompareAndSwap(nil, &err) {
		s.sched.Close(err)
	}
}

// failure returns the error that the store failed with, or nil.
func (s *Store) failure() error {
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// readFailed is called with an error of reading a record, and returns that of the call.
func (s *Store) readFailed(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return frontier.ErrClosed
	}
	s.fail(err)
	return err
}

// noteFailure records that a call returns the failure of the store, so that Close need not.
func (s *Store) noteFailure(err *error) {
	if *err != nil && errors.Is(*err, s.failure()) {
		s.failureReturned.Store(true)
	}
}
