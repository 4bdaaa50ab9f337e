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
	done   chan struct{} // closed when there is an answer

	// Guarded by the store's lock.
	tried bool // it was looked for once
	taken bool // a batcher is at it
	late  bool // its time is over: no batcher is to wait any more
	gone  bool // its caller is gone: what is leased goes back
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
		t := time.NewTimer(req.Wait)
		defer t.Stop()
		timeout = t.C
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
			<-w.done // in this moment
			if len(w.leases) == 0 && w.err == nil {
				return nil, ctx.Err()
			}
			return w.leases, w.err
		}
	}
}

// withdraw takes w from those that wait, and reports whether its caller need not
// wait for an answer. A batcher that is at it will see that its time is over.
func (s *Store) withdraw(w *waiter, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, x := range s.waiters {
		if x == w {
			s.waiters = append(s.waiters[:i:i], s.waiters[i+1:]...)
			return true
		}
	}
	if !w.taken {
		return false // it has its answer
	}
	if err == nil {
		w.late = true
		return false
	}
	w.gone = true
	return true
}
