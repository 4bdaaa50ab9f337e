package redisstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

const (
	sentinelRefresh = 5 * time.Second
	// closeTimeout is the maximum time that Close waits for Redis.
	closeTimeout = 5 * time.Second
)

// A Store is a frontier.Frontier in Redis. All workers that open the same crawl share it.
type Store struct {
	opts     Options
	address  address
	client   rueidis.Client
	layout   layout
	scripts  scripts
	instance string // of this opening of the crawl
	home     int    // shard of the worker's note

	staleMaster bool // of MayHaveStaleMaster

	heard atomic.Pointer[heard] // the last call that a master of Sentinels replied to, of which it is sure

	alive context.Context // ends with Close
	stop  context.CancelFunc
	work  sync.WaitGroup // batchers and listen

	mu      sync.Mutex // guards the fields below
	closed  bool
	cache   *seen.Cache // nil: none
	runs    []string    // ids of the server processes for which the cache is valid
	forgot  int         // number of times the cache was cleared
	queue   []*job      // to be sent
	waiters []*waiter   // waiting calls of Lease
	view    view

	batchers [batchers]bool // which are running

	timer   *time.Timer // runs kick when a URL may be due
	holding map[string]map[chan struct{}]bool
	orphans []string // nonces of calls that may have leased but whose reply was lost

	notes sync.Mutex // held by a Finish with an intent: one at a time

	changing chan struct{} // holds something while a Tell or Take is on its way: they are one at a time

	outages outages
}

var (
	_ frontier.Frontier  = (*Store)(nil)
	_ frontier.Revisiter = (*Store)(nil)
	_ frontier.Lister    = (*Store)(nil)
)

// String returns the address, without the password, and the name of the crawl.
func (s *Store) String() string { return s.address.String() + " " + s.opts.CrawlName }

// WorkerName returns the name of this process in the crawl.
func (s *Store) WorkerName() string { return s.opts.WorkerName }

// ID returns the unique id of the crawl. A later crawl of the same name has another id.
func (s *Store) ID() string { return s.layout.id }

// MayHaveStaleMaster reports whether the master of Sentinels lacked, at Open, min-replicas-to-write and
// min-replicas-max-lag: after a fail-over that it does not notice, it could still lease hosts.
func (s *Store) MayHaveStaleMaster() bool { return s.staleMaster }

// Settings returns the Options.Settings of the Open that created the crawl.
func (s *Store) Settings() []byte { return []byte(s.layout.settings) }

// enter returns an error if the context has ended or the store is closed.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.ended(s.alive)
}

// enterWorker is enter for calls that observers may not make.
func (s *Store) enterWorker(ctx context.Context) error {
	if s.opts.Observe {
		return ErrObserver
	}
	return s.enter(ctx)
}

// ended returns the reason for which a context has ended, or nil.
func (s *Store) ended(ctx context.Context) error {
	if s.alive.Err() != nil {
		return frontier.ErrClosed
	}
	return ctx.Err()
}

// within returns a context that ends with ctx and with Close.
func (s *Store) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	undo := context.AfterFunc(s.alive, cancel)
	return ctx, func() { undo(); cancel() }
}

// Close implements frontier.Frontier. It releases the leases of this process only.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.stop()
	if s.timer != nil {
		s.timer.Stop()
	}
	for _, w := range s.waiters {
		w.end(frontier.ErrClosed)
	}
	for _, j := range s.queue {
		j.end(frontier.ErrClosed)
	}
	s.waiters, s.queue = nil, nil
	s.mu.Unlock()
	s.work.Wait()
	if s.opts.Observe {
		s.client.Close()
		return nil
	}

	// After an error the leases expire.
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.unregister(ctx)
	s.client.Close()
	if err != nil {
		s.opts.Logger.Warn("cannot give leases back; they will expire", "error", err)
	}
	return nil
}

func (s *Store) unregister(ctx context.Context) error {
	owner, err := s.client.Do(ctx, s.client.B().Hget().Key(s.layout.in(s.home, "workers")).Field(s.opts.WorkerName).Build()).ToString()
	if err != nil {
		return classify(err)
	}
	if owner != s.instance {
		return ErrNameTaken
	}
	// The context of calls has ended, so these go without run.
	err = s.send(ctx, s.all("reclaim", s.opts.WorkerName, ""), func(c call, r reply, err error) error {
		_, err = s.taught(ctx, c, r, err)
		return err
	})
	_, err2 := s.join(ctx, "out")
	return errors.Join(err, err2)
}
