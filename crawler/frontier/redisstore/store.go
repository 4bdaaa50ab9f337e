package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

const (
	sentinelRefresh = 5 * time.Second
	// leaving is how long Close waits for Redis.
	leaving = 5 * time.Second
)

// A Store is a frontier in Redis, shared with all workers that have the same
// crawl open. The package comment says how.
type Store struct {
	opts     Options
	address  address
	client   rueidis.Client
	layout   layout
	scripts  scripts
	instance string // of this opening of the crawl
	home     int    // the shard that the worker's note is in

	alive context.Context // ends with Close
	stop  context.CancelFunc
	work  sync.WaitGroup // batchers, and who listens

	mu      sync.Mutex // guards what follows
	closed  bool
	cache   *seen.Cache // nil: none
	runs    []string    // of the servers, since which the cache holds
	forgot  int         // how often the cache was emptied
	queue   []*job      // to be sent
	waiters []*waiter   // Leases without an answer
	view    view

	batchers [batchers]bool // those at work

	timer   *time.Timer // runs kick when something may be leased
	holding map[string]map[chan struct{}]bool
	orphans []string // nonces of calls whose answer never came and that may have leased

	notes sync.Mutex // held by a Finish with a note in a Cluster: intents are one at a time

	changing chan struct{} // holds something while a Tell or Take is on its way: they are one at a time

	outages outages
}

var (
	_ frontier.Frontier  = (*Store)(nil)
	_ frontier.Revisiter = (*Store)(nil)
	_ frontier.Lister    = (*Store)(nil)
)

// String says which crawl is open and where, without the password.
func (s *Store) String() string { return s.address.String() + " " + s.opts.Crawl }

// Worker returns the name of this process in the crawl.
func (s *Store) Worker() string { return s.opts.Worker }

// ID returns what tells this crawl from all others, also from those that had or will have
// its name.
func (s *Store) ID() string { return s.layout.id }

// Settings returns the Options.Settings that the crawl was made with.
func (s *Store) Settings() []byte { return []byte(s.layout.settings) }

// enter returns the error of a context that has ended, or of a store that is closed.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.ended(s.alive)
}

// enterWorker is enter for what only workers may do.
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

// Close implements frontier.Frontier. The leases of this process are given back,
// and nobody else's.
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

	// What fails here comes back when it expires.
	ctx, cancel := context.WithTimeout(context.Background(), leaving)
	defer cancel()
	err := s.leave(ctx)
	s.client.Close()
	if err != nil {
		s.opts.Logger.Warn("leases are not given back before they expire", "err", err)
	}
	return nil
}

func (s *Store) leave(ctx context.Context) error {
	owner, err := s.client.Do(ctx, s.client.B().Hget().Key(s.layout.in(s.home, "workers")).Field(s.opts.Worker).Build()).ToString()
	if err != nil {
		return classify(err)
	}
	if owner != s.instance {
		return ErrNameTaken
	}
	// The context of calls has ended, so these go without run.
	err = s.send(ctx, s.all("reclaim", s.opts.Worker, ""), func(c call, r reply, err error) error {
		_, err = s.taught(ctx, c, r, err)
		return err
	})
	_, err2 := s.join(ctx, "out")
	return errors.Join(err, err2)
}
