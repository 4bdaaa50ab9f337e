package redisstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// reservation is the time for which a waiting Hold keeps leases from the host, unless it
	// renews its reservation.
	reservation = 10 * time.Second
	// grace is the time for which a call in flight is completed after its caller has canceled
	// it.
	grace = time.Second
	// renewal is the interval at which a waiting Hold renews its reservation.
	renewal = 3 * time.Second
)

// Hold implements frontier.Frontier.
func (s *Store) Hold(ctx context.Context, h frontier.Host) (release func(delay time.Duration), err error) {
	if h == "" {
		return nil, fmt.Errorf("%w: no host", frontier.ErrInvalid)
	}
	if err := s.enterWorker(ctx); err != nil {
		return nil, err
	}
	caller, shard := newNonce(), s.layout.shard(h)
	wake := make(chan struct{}, 1)
	s.awaitHold(string(h), wake)
	defer s.forgetHold(string(h), wake)
	// A call in flight is completed after ctx ends. Otherwise it could occupy a slot that
	// nobody releases.
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	for {
		r, err := s.ask(calls, "hold", shard, 3, string(h), caller,
			micros(s.opts.LeaseTime), micros(reservation), s.opts.WorkerName)
		if err != nil {
			s.cancelReservation(h, caller)
			return nil, err
		}
		if token := r.string(1); token != "" {
			return s.releaser(shard, token), nil
		}
		wait := min(time.Duration(r.int(2)-r.int(0))*time.Microsecond, renewal)
		select {
		case <-wake:
		case <-time.After(max(wait, 200*time.Microsecond)):
		case <-ctx.Done():
			err = ctx.Err()
		case <-s.alive.Done():
			err = frontier.ErrClosed
		}
		if err != nil {
			s.cancelReservation(h, caller)
			return nil, err
		}
	}
}

func (s *schedule) awaitHold(h string, wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holding[h] == nil {
		s.holding[h] = make(map[chan struct{}]bool)
	}
	s.holding[h][wake] = true
}

func (s *schedule) forgetHold(h string, wake chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holding[h], wake)
	if len(s.holding[h]) == 0 {
		delete(s.holding, h)
	}
}

// cancelReservation removes the reservation of a caller, if Redis is reachable. If not, it expires.
func (s *schedule) cancelReservation(h frontier.Host, caller string) {
	if s.alive.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.alive, time.Second)
	defer cancel()
	if _, err := s.ask(ctx, "unhold", s.layout.shard(h), 1, string(h), caller); err != nil {
		s.opts.Logger.Warn("a host stays reserved for a while", "host", h, "error", err)
	}
}

// releaser returns the function that ends a hold.
func (s *schedule) releaser(shard int, token string) func(time.Duration) {
	var once sync.Once
	return func(delay time.Duration) {
		once.Do(func() {
			if s.alive.Err() != nil {
				return
			}
			_, err := s.ask(s.alive, "release", shard, 1, token, micros(max(delay, 0)))
			if err != nil {
				s.opts.Logger.Warn("a hold ends when it expires", "error", err)
			}
		})
	}
}
