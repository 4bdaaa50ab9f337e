package redisstore

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A waiter is a call of Lease.
type waiter struct {
	req    frontier.LeaseRequest
	leases []frontier.Lease
	err    error
	done   chan struct{} // closed when the call is complete

	// Guarded by the store's lock.
	tried    bool // a batcher has tried to lease for it
	taken    bool // a batcher is serving it
	timedOut bool // its Wait is over, so the batcher must end it
	canceled bool // its caller is gone, so its leases are given back
}

func (w *waiter) end(err error) {
	w.err = err
	close(w.done)
}

// Lease implements frontier.Frontier.
func (s *Store) Lease(ctx context.Context, req frontier.LeaseRequest) ([]frontier.Lease, error) {
	if err := s.enterWorker(ctx); err != nil {
		return nil, err
	}
	w := &waiter{req: req, done: make(chan struct{})}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, frontier.ErrClosed
	}
	s.waiters = append(s.waiters, w)
	s.kick()
	s.mu.Unlock()

	var timeout <-chan time.Time
	if req.Wait > 0 {
		timeout = time.After(req.Wait)
	}
	for {
		select {
		case <-w.done:
			return w.leases, w.err
		case <-timeout:
			timeout = nil
			if s.withdraw(w, nil) {
				return nil, nil
			}
		case <-ctx.Done():
			if s.withdraw(w, ctx.Err()) {
				return nil, ctx.Err()
			}
			<-w.done // very soon
			if len(w.leases) == 0 && w.err == nil {
				return nil, ctx.Err()
			}
			return w.leases, w.err
		}
	}
}

// withdraw removes w from the waiters, and reports whether its caller can return at once. If a
// batcher is serving w, the batcher ends it.
func (s *schedule) withdraw(w *waiter, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range s.waiters {
		if x == w {
			s.waiters = append(s.waiters[:i:i], s.waiters[i+1:]...)
			return true
		}
	}
	if !w.taken {
		return false // it is complete
	}
	if err == nil {
		w.timedOut = true
		return false
	}
	w.canceled = true
	return true
}
