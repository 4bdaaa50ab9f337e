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

// A Store is a frontier.Frontier in a directory. The package comment says what
// it outlives, README.md what it costs.
type Store struct {
	opts   Options
	dir    *directory
	pebble *pebble.DB
	db     database // reads from pebble
	seed   siphash.Key
	run    uint64 // how many times the store was opened
	base   int64  // Instant 0 in milliseconds since 1970

	queue    queue
	stopped  chan struct{} // closed when the committer has ended
	key, val []byte        // the committer's

	readers sync.WaitGroup // calls that may read the database

	revisiting sync.Mutex // held by the one call of Revisit that looks for what is over

	failing sync.Once
	failed  chan struct{} // closed when failure is set
	failure error
	heard   atomic.Bool // a call has returned the failure

	closing sync.Once

	sched *schedule.Schedule[*host, *entry] // its lock guards what follows, and all that it leads to

	note    []byte
	known   known
	claims  map[uint64]*request // hashes of URLs that are on their way into the store
	hosts   map[frontier.Host]*host
	byID    map[hostID]*host
	loading map[frontier.Host]int // callers that read the record of a host that is not in hosts
	idle    heap.Heap[*idleHost]  // those that may be forgotten when they are due
	lastID  hostID
	seq     uint64 // the last entry's
	counts  frontier.Counts
	crowd   int    // hosts that URLs were added for
	next    int64  // when the next that is scheduled is due, in milliseconds since 1970; never: none is
	waking  bool   // the committer was told that something is due
	dry     int    // hosts whose next URL is still to be read
	reads   uint64 // how often URLs were read from the database
}

var (
	_ frontier.Frontier  = (*Store)(nil)
	_ frontier.Revisiter = (*Store)(nil)
	_ frontier.Lister    = (*Store)(nil)
)

// Open opens the store in the directory dir, which is made when it is not
// there. Nil options are the defaults.
//
// The directory is locked while the store is open: the error is an *InUseError
// when it is locked by another, which may be this process. It is ErrForeign when
// the directory holds something else, ErrFormat when it was written by another
// version of this package, which changes nothing in it, and ErrDamaged when it is not as it was left. When the
// disk cannot be written, as when it is full, the error says so, and what the
// database had in memory by then stays with the process.
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
		Ready:   func(h *host) bool { return len(h.window.entries) > 0 && !h.dry },
		Expired: s.expired,
		Wake:    s.wake,
		Next:    s.nextDue,
		Held:    s.held,
		Idle:    s.idles,
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
	case <-s.failed: // and what is being opened may wait for ever
		return s.failure
	}
}

func (s *Store) openDatabase() error {
	if err := s.checkFormat(); err != nil {
		return err
	}
	if err := s.dir.sign(); err != nil {
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
	go s.work()
	return nil
}

// Stats implements frontier.Frontier.
func (s *Store) Stats(ctx context.Context) (_ frontier.Stats, err error) {
	defer s.hear(&err)
	now, err := s.enter(ctx, s.settled)
	if err != nil {
		return frontier.Stats{}, err
	}
	defer s.sched.Leave(now)
	st := frontier.Stats{Counts: s.counts, Hosts: s.crowd}
	if next := s.sched.NextDue(); next < schedule.Never {
		st.NextDue = s.sched.Time(next, now)
	}
	return st, nil
}

// Close implements frontier.Frontier. It waits for calls that are writing. The
// error is what closing the database says, or that the disk has failed, unless
// another call has returned that already.
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
	case <-s.failed: // and what is being closed may wait for ever
	}
	if failure := s.failedWith(); failure != nil && !s.heard.Load() {
		err = failure
	}
	return errors.Join(err, s.dir.Close())
}

// closeDatabase closes the database when nobody reads it any more, unless the
// disk has failed.
func (s *Store) closeDatabase() error {
	<-s.stopped
	s.readers.Wait()
	if s.failedWith() != nil {
		return nil
	}
	return s.pebble.Close()
}

// millis returns the time of an instant on the clock that is stored: that of
// the wall when the store was opened, run on.
func (s *Store) millis(i instant) int64 {
	ms := int64(i / time.Millisecond)
	if i%time.Millisecond > 0 {
		ms++
	}
	return s.base + ms
}

// instant is the reverse of millis.
func (s *Store) instant(ms int64) instant {
	d := ms - s.base
	if d > int64(schedule.Never/time.Millisecond) {
		return schedule.Later(0, schedule.Never)
	}
	return time.Duration(d) * time.Millisecond
}
