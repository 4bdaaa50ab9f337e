package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A batcher sends calls of Add, Finish and Lease in batches: all calls that arrived while it
// waited for Redis. So a round trip carries more calls when there are more, and a single call
// does not wait for others. Batchers are goroutines that end when there is nothing to send.

const (
	// batchers is the number of batches that may be in flight: Redis executes one while the
	// next is composed. More batchers would make smaller batches.
	batchers = 2

	jobsAtOnce  = 64   // most jobs in a batch
	itemsAtOnce = 2000 // with this many items a batch is full
	leasesEach  = 64   // most orders in a transaction
)

// A schedule decides when calls are sent, and when waiting calls may continue.
type schedule struct {
	*crawl

	work sync.WaitGroup // batchers and listen

	mu       sync.Mutex // guards the fields below
	closed   bool
	queue    []*job    // to be sent
	waiters  []*waiter // waiting calls of Lease
	view     view
	batchers [batchers]bool // which are running
	timer    *time.Timer    // runs kick when a URL may be due
	holding  map[string]map[chan struct{}]bool
	orphans  []string // nonces of calls that may have leased but whose reply was lost

	notes sync.Mutex // held by a Finish with an intent: one at a time
}

// A job is a call of Add, Revisit or Finish.
type job struct {
	items   []*item  // of Add, Revisit, and links
	endings []ending // of Finish
	note    []byte   // nil if none
	done    chan struct{}
	err     error
}

func (j *job) end(err error) {
	j.err = err
	close(j.done)
}

// do queues a job and waits until it is done.
func (s *schedule) do(ctx context.Context, j *job) error {
	j.done = make(chan struct{})
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return frontier.ErrClosed
	}
	s.queue = append(s.queue, j)
	s.kick()
	s.mu.Unlock()
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kick starts a free batcher if there is something to do, and else sets the timer. The lock
// is held.
func (s *schedule) kick() {
	if s.closed {
		return
	}
	if !s.ready() {
		s.arm()
		return
	}
	for n, busy := range s.batchers {
		if !busy {
			s.batchers[n] = true
			s.work.Go(func() { s.sendBatches(n) })
			return
		}
	}
}

// ready reports whether a batcher has something to do. The lock is held.
func (s *schedule) ready() bool {
	if len(s.queue) > 0 {
		return true
	}
	for _, w := range s.waiters {
		if !w.tried {
			return true
		}
	}
	return len(s.waiters) > 0 && (s.view.next() <= s.view.now() || s.outdated())
}

// arm sets the timer to the next time at which a waiter may get a lease. The lock is held.
func (s *schedule) arm() {
	if len(s.waiters) == 0 {
		return
	}
	wait := max(time.Duration(s.view.next()-s.view.now())*time.Microsecond, 0)
	wait = max(min(wait, time.Until(s.view.polled.Add(poll))), 100*time.Microsecond)
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.kick()
		})
		return
	}
	s.timer.Reset(wait)
}

// sendBatches runs the batcher with this number.
func (s *schedule) sendBatches(number int) {
	for {
		s.mu.Lock()
		if s.closed || !s.ready() {
			s.batchers[number] = false
			if !s.closed {
				s.arm()
			}
			s.mu.Unlock()
			return
		}
		jobs := s.takeJobs()
		waiters := s.waiters[:min(len(s.waiters), leasesEach)]
		s.waiters = s.waiters[len(waiters):]
		for _, w := range waiters {
			w.taken = true
		}
		poll := len(waiters) > 0 && s.outdated()
		s.mu.Unlock()
		b := &batch{s: s, batcher: number, jobs: jobs, waiters: waiters}
		b.serve(s.alive, poll)
	}
}

func (s *schedule) takeJobs() []*job {
	n, items := 0, 0
	for n < len(s.queue) && n < jobsAtOnce && items < itemsAtOnce {
		items += len(s.queue[n].items)
		n++
	}
	jobs := s.queue[:n:n]
	s.queue = s.queue[n:]
	return jobs
}

// A batch has the jobs and waiters that a batcher serves at once.
type batch struct {
	s       *schedule
	batcher int
	jobs    []*job
	waiters []*waiter
	nonces  []string // of transactions that leased
}

func (b *batch) serve(ctx context.Context, poll bool) {
	s := b.s
	if err := s.adopt(ctx); err != nil {
		b.end(err)
		return
	}
	if poll {
		if err := s.refresh(ctx); err != nil && len(b.jobs) == 0 {
			b.end(err)
			return
		}
	}
	err := b.send(ctx)
	if err == nil {
		err = b.insist(ctx, poll)
	}
	b.end(err)
}

// adopt releases the leases of calls whose replies were lost.
func (s *schedule) adopt(ctx context.Context) error {
	for {
		s.mu.Lock()
		if len(s.orphans) == 0 {
			s.mu.Unlock()
			return nil
		}
		nonce := s.orphans[0]
		s.mu.Unlock()
		if err := s.reclaim(ctx, nonce); err != nil {
			return err
		}
		s.mu.Lock()
		s.orphans = slices.DeleteFunc(s.orphans, func(n string) bool { return n == nonce })
		s.mu.Unlock()
	}
}

// insist leases again for waiters that do not wait and have no lease, since the view of the
// shards may be out of date.
func (b *batch) insist(ctx context.Context, known bool) error {
	for range 100 { // a shard releases many expired leases in parts
		var hurry []*waiter
		for _, w := range b.waiters {
			if w.req.Wait == 0 && len(w.leases) == 0 {
				hurry = append(hurry, w)
			}
		}
		if len(hurry) == 0 {
			return nil
		}
		if !known {
			if err := b.s.refresh(ctx); err != nil {
				return err
			}
			known = true
		}
		b.s.mu.Lock()
		due := b.s.view.next() <= b.s.view.now()
		b.s.mu.Unlock()
		if !due {
			return nil
		}
		if err := b.lease(ctx, hurry); err != nil {
			return err
		}
	}
	return nil
}

// end ends the jobs and the waiters. Waiters without a lease keep waiting.
func (b *batch) end(err error) {
	s := b.s
	if err != nil && s.alive.Err() != nil {
		err = frontier.ErrClosed
	}
	for _, j := range b.jobs {
		j.end(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrReadOnly) {
		s.orphans = append(s.orphans, b.nonces...)
	}
	var wait []*waiter
	for _, w := range b.waiters {
		w.taken, w.tried = false, true
		switch {
		case w.canceled:
			s.giveBack(w.leases)
		case err != nil:
			w.leases = nil
			w.end(err)
		case len(w.leases) > 0 || w.req.Wait == 0 || w.timedOut:
			w.end(nil)
		case s.closed:
			w.end(frontier.ErrClosed)
		default:
			wait = append(wait, w)
		}
	}
	s.waiters = append(wait, s.waiters...)
	s.kick()
}

// giveBack returns leases whose caller is gone. The lock is held.
func (s *schedule) giveBack(leases []frontier.Lease) {
	j := &job{done: make(chan struct{})}
	for _, l := range leases {
		if t, ok := s.layout.readTicket(l.ID); ok {
			j.endings = append(j.endings, ending{ticket: t, result: frontier.Defer, err: new(error)})
		}
	}
	if len(j.endings) > 0 && !s.closed {
		s.queue = append(s.queue, j)
	}
}
