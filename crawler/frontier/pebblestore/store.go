package pebblestore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
)

// A Store is a frontier.Frontier in a directory.
type Store struct {
	opts   Options
	dir    *directory
	pebble *pebble.DB
	db     database // reads from pebble
	seed   siphash.Key
	run    uint64 // number of openings
	base   int64  // Instant 0 in Unix milliseconds

	queue    queue
	stopped  chan struct{} // closed when the committer has ended
	key, val []byte        // buffers of the committer

	readers sync.WaitGroup // calls that may read the database

	revisiting sync.Mutex // held by Revisit while it reads and requeues finished URLs

	failing         sync.Once
	failed          chan struct{} // closed when failure is set
	failure         error
	failureReturned atomic.Bool // a call returned the failure

	closing sync.Once

	sched *schedule.Schedule[*host, *entry] // its lock guards the fields below and the hosts

	note      []byte
	known     known
	claims    map[uint64]*request // hashes of URLs that are being added
	hosts     map[frontier.Host]*host
	byID      map[hostID]*host
	loading   map[frontier.Host]int // number of ensureHosts calls that need the host
	idle      heap.Heap[*idleHost]  // hosts to be dropped from memory when they are due
	lastID    hostID
	seq       uint64 // number of the last entry
	counts    frontier.Counts
	hostCount int    // number of hosts with URLs
	next      int64  // time of the next scheduled URL, in Unix milliseconds; never: none
	waking    bool   // the committer moves scheduled URLs that are due
	dry       int    // hosts whose next URL is still to be read
	reads     uint64 // number of reads of URLs from the database
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
// ErrFormat if another version of this package wrote the store, and ErrDamaged if files are
// missing or corrupt. Other errors are those of the file system, such as a full disk.
func Open(dir string, opts *Options) (*Store, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := newStore(opts.withDefaults(), d)
	if err := s.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return s, nil
}

func newStore(opts Options, d *directory) *Store {
	s := &Store{
		opts:    opts,
		dir:     d,
		queue:   queue{work: make(chan struct{}, 1)},
		stopped: make(chan struct{}),
		failed:  make(chan struct{}),
		known:   known{limit: opts.SeenBytes},
		claims:  make(map[uint64]*request),
		hosts:   make(map[frontier.Host]*host),
		byID:    make(map[hostID]*host),
		loading: make(map[frontier.Host]int),
		next:    never,
	}
	s.sched = schedule.New(schedule.Store[*host, *entry]{
		Ready:     func(h *host) bool { return len(h.window.entries) > 0 && !h.dry },
		OnExpired: s.expired,
		Wake:      s.wake,
		Next:      s.nextDue,
		OnHold:    s.onHold,
		OnIdle:    s.markIdle,
	}, opts.LeaseTime)
	return s
}

// open opens the database and starts the committer.
func (s *Store) open() error {
	opened := make(chan error, 1)
	go func() { opened <- s.openDatabase() }()
	select {
	case err := <-opened:
		return err
	case <-s.failed: // openDatabase may never return
		return s.failure
	}
}

func (s *Store) openDatabase() error {
	if err := s.checkFormat(); err != nil {
		return err
	}
	if err := s.dir.writeOwner(); err != nil {
		return err
	}
	db, err := s.dir.database(&s.opts, false, s.fail)
	if err != nil {
		return err
	}
	s.pebble, s.db = db, database{Reader: db, path: s.dir.path}
	s.base = ceilMillis(s.sched.Wall())
	if err := s.load(); err != nil {
		return errors.Join(err, db.Close())
	}
	s.db.broken = s.dir.disk.stop
	s.dir.disk.arm()
	go s.commitLoop()
	return nil
}

// Stats implements frontier.Frontier.
func (s *Store) Stats(ctx context.Context) (_ frontier.Stats, err error) {
	defer s.noteFailure(&err)
	now, err := s.enter(ctx, s.allRead)
	if err != nil {
		return frontier.Stats{}, err
	}
	defer s.sched.Exit(now)
	st := frontier.Stats{Counts: s.counts, Hosts: s.hostCount}
	if next := s.sched.NextDue(); next < schedule.Never {
		st.NextDue = s.sched.Time(next, now)
	}
	return st, nil
}

// Close implements frontier.Frontier. It waits for calls that write or read the database. It
// returns a disk error only if no other call has returned it.
func (s *Store) Close() (err error) {
	s.closing.Do(func() { err = s.close() })
	return err
}

func (s *Store) close() error {
	s.sched.Close(frontier.ErrClosed)
	s.queue.close()
	closed := make(chan error, 1)
	go func() { closed <- s.closeDatabase() }()
	var err error
	select {
	case err = <-closed:
	case <-s.failed: // closeDatabase may never return
	}
	if failure := s.failedWith(); failure != nil && !s.failureReturned.Load() {
		err = failure
	}
	return errors.Join(err, s.dir.Close())
}

// closeDatabase waits for readers and closes the database, unless the disk has failed.
func (s *Store) closeDatabase() error {
	<-s.stopped
	s.readers.Wait()
	if s.failedWith() != nil {
		return nil
	}
	return s.pebble.Close()
}

// millis returns an instant in Unix milliseconds, as counted from the wall clock at Open.
func (s *Store) millis(i instant) int64 {
	ms := int64(i / time.Millisecond)
	if i%time.Millisecond > 0 {
		ms++
	}
	return s.base + ms
}

// instant is the inverse of millis.
func (s *Store) instant(ms int64) instant {
	d := ms - s.base
	if d > int64(schedule.Never/time.Millisecond) {
		return schedule.Later(0, schedule.Never)
	}
	return time.Duration(d) * time.Millisecond
}
