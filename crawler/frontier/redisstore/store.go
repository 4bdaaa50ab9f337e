package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// closeTimeout is the maximum time that Close waits for Redis.
const closeTimeout = 5 * time.Second

// A Store is a frontier.Frontier in Redis. All workers that open the same crawl share it.
type Store struct {
	*schedule
}

var (
	_ frontier.Frontier  = (*Store)(nil)
	_ frontier.Revisiter = (*Store)(nil)
	_ frontier.Lister    = (*Store)(nil)
)

// WorkerName returns the name of this process in the crawl.
func (s *Store) WorkerName() string { return s.opts.WorkerName }

// ID returns the unique id of the crawl. A later crawl of the same name has another id.
func (s *Store) ID() string { return s.layout.id }

// MayHaveStaleMaster reports whether the master of Sentinels lacked, at Open, min-replicas-to-write and
// min-replicas-max-lag: after a fail-over that it does not notice, it could still lease hosts.
func (s *Store) MayHaveStaleMaster() bool { return s.staleMaster }

// Settings returns the Options.Settings of the Open that created the crawl.
func (s *Store) Settings() []byte { return []byte(s.layout.settings) }

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

func (s *crawl) unregister(ctx context.Context) error {
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
