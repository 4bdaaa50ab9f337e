package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// silence is how long a worker that is not heard of counts as there.
	silence = 30 * time.Second

	maxMessage = 4 << 10
	maxStatus  = 1 << 10
	// maxCount is the largest whole number that scripts count to exactly.
	maxCount = 1 << 53
)

// News are what a worker learns of its crawl by Sync.
type News struct {
	// Told are messages of Tell, in their order, those from the number that
	// was asked for; at most 1,000. Next is the number of the one that follows,
	// for the next call.
	Told [][]byte
	Next int
	// Age is how long the present run of the crawl has lasted: since the first
	// worker opened it when none was there, or if none is, that of the last.
	Age time.Duration
	// Workers are all that ever had the crawl open, by their names, in no order.
	Workers []Peer
}

// A Peer is one of the workers of a crawl.
type Peer struct {
	Name   string
	Status []byte        // the last one
	Ago    time.Duration // since its last Sync, or since it opened the crawl
	Open   bool          // it has the crawl open: it did not Close
}

// Tell appends a message, of at most 4 KiB, to those that all workers of the crawl
// get by Sync, also those that come later. Observers may do so too.
func (s *Store) Tell(ctx context.Context, message []byte) error {
	if len(message) > maxMessage {
		return fmt.Errorf("%w: a message of %d bytes", frontier.ErrInvalid, len(message))
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	_, err := s.change(ctx, "tell", string(message))
	return err
}

// Sync says that this worker is there, which is to be said every few seconds, and
// how it is, in at most 1 KiB; a status that is nil leaves the last. It returns
// what was told since, and how the other workers are, all in one round trip.
// Observers may call it with no status, and are not listed.
func (s *Store) Sync(ctx context.Context, status []byte, from int) (*News, error) {
	if len(status) > maxStatus || from < 0 {
		return nil, fmt.Errorf("%w: a status of %d bytes, messages from %d", frontier.ErrInvalid, len(status), from)
	}
	if status != nil && s.opts.Observe {
		return nil, ErrObserver
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	has := ""
	if status != nil {
		has = "s"
	}
	c := s.whole("sync", "", flag(!s.opts.Observe), has, string(status), decimal(from))
	r, err := s.run(ctx, fixed(c))
	if err != nil {
		return nil, err
	}
	news := &News{Age: time.Duration(r.int(1)) * time.Microsecond, Next: int(r.int(3))}
	for i := range r.array(2) {
		news.Told = append(news.Told, []byte(r.array(2).string(i)))
	}
	for i := range r.array(4) {
		w := r.array(4).array(i)
		news.Workers = append(news.Workers, Peer{
			Name: w.string(0), Status: []byte(w.string(1)),
			Ago: time.Duration(w.int(2)) * time.Microsecond, Open: w.int(3) == 1,
		})
	}
	return news, nil
}

// Take adds to a counter of the crawl as much of n as keeps it at most at a limit,
// and returns how much. It is noted that this worker has taken it. Less than zero
// gives back, at most what the worker has taken.
func (s *Store) Take(ctx context.Context, counter string, n, most int64) (got int64, err error) {
	if !countable(n) {
		return 0, fmt.Errorf("%w: %d is too much to count", frontier.ErrInvalid, n)
	}
	if err := s.enterWorker(ctx); err != nil {
		return 0, err
	}
	most = min(max(most, 0), maxCount)
	r, err := s.change(ctx, "take", counter, strconv.FormatInt(n, 10), strconv.FormatInt(most, 10))
	if err != nil {
		return 0, err
	}
	return r.int(1), nil
}

// Settle sets what this worker has taken of each counter, in all its lives: of those
// that are not named, nothing. A worker that comes back after a crash, and has
// counted what it wrote, calls it before it takes more.
func (s *Store) Settle(ctx context.Context, taken map[string]int64) error {
	if err := s.enterWorker(ctx); err != nil {
		return err
	}
	var args []string
	for counter, n := range taken {
		if n < 0 || !countable(n) {
			return fmt.Errorf("%w: %d of %q taken", frontier.ErrInvalid, n, counter)
		}
		args = append(args, counter, strconv.FormatInt(n, 10))
	}
	_, err := s.run(ctx, fixed(s.whole("settle", "", args...)))
	return err
}

func countable(n int64) bool { return -maxCount <= n && n <= maxCount }

// whole returns a call of the script for the crawl as a whole.
func (s *Store) whole(what, nonce string, args ...string) call {
	return call{s.scripts.crawl, s.layout.key("meta"), append([]string{what, s.opts.Worker, s.instance, nonce}, args...)}
}

// change makes a call that must not be done twice. Redis keeps one answer of each
// worker, so there is one call at a time.
func (s *Store) change(ctx context.Context, what string, args ...string) (reply, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, s.ended(ctx)
	}
	defer func() { <-s.changing }()
	return s.run(ctx, fixed(s.whole(what, newNonce(), args...)))
}
