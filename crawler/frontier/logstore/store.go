package logstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// A Store is a frontier.Frontier in a directory.
type Store struct {
	index
	dir    *directory
	base   int64 // Instant 0 in Unix milliseconds
	opened int64 // size of the log when it was opened: the records before are of earlier openings

	queue       commits
	frame, body []byte // buffers of the caller that writes

	revisiting sync.Mutex // held by Revisit while it reads and requeues finished URLs

	idle heap.Heap[idleHost] // hosts to be dropped from memory when they are due

	broken          atomic.Pointer[error]
	failureReturned atomic.Bool // a call returned the failure
	closing         sync.Once
}

var (
	_ frontier.Frontier  = (*Store)(nil)
	_ frontier.Revisiter = (*Store)(nil)
	_ frontier.Lister    = (*Store)(nil)
)

// Open opens the store in the directory dir, and creates both if they are missing. Nil options
// are the defaults. The directory is locked until Close.
//
// The error is an *InUseError if the directory is locked, ErrNotFrontier if it has other files,
// ErrFormat if another version of this package wrote the store, and ErrDamaged if the log is
// corrupt. Other errors are those of the file system, such as a full disk.
func Open(dir string, opts *Options) (*Store, error) { return openAt(dir, opts, time.Now) }

// openAt is Open with a wall clock.
func openAt(dir string, opts *Options, wall func() time.Time) (*Store, error) {
	d, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: d, index: index{opts: opts.withDefaults()}, frame: make([]byte, headSize)}
	s.queue.idle = sync.NewCond(&s.queue.mu)
	s.sched = schedule.New(schedule.Store[*host, *entry]{
		Ready:     func(h *host) bool { return h.counts.Pending > 0 },
		OnExpired: s.expired,
		Wake:      s.wake,
		Next:      s.nextDue,
		OnHold:    s.onHold,
		OnIdle:    s.markIdle,
	}, s.opts.LeaseTime)
	s.sched.Wall = wall
	s.base = ceilMillis(wall())
	if err := s.open(); err != nil {
		s.records.Clear()
		if s.file != nil {
			err = errors.Join(err, s.file.Close())
		}
		return nil, errors.Join(err, d.Close())
	}
	return s, nil
}

// Stats implements frontier.Frontier.
func (s *Store) Stats(ctx context.Context) (_ frontier.Stats, err error) {
	defer s.noteFailure(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return frontier.Stats{}, err
	}
	defer s.sched.Exit(now)
	st := frontier.Stats{Counts: s.counts, Hosts: s.sites}
	if next := s.sched.NextDue(); next < schedule.Never {
		st.NextDue = s.sched.Time(next, now)
	}
	return st, nil
}

// Close implements frontier.Frontier. It waits for what is being written, and writes the index. It
// returns a disk error only if no other call has returned it.
func (s *Store) Close() (err error) {
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	s.sched.Close(frontier.ErrClosed)
	s.drain()
	now := s.sched.Lock()
	defer s.sched.Exit(now)
	err := s.failure()
	switch {
	case err == nil:
		err = s.save(now)
	case s.failureReturned.Load():
		err = nil
	}
	s.records.Clear()
	return errors.Join(err, s.file.Close(), s.dir.Close())
}
