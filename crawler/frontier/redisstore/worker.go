package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	// workerTimeout is the time after its last Sync for which a worker counts as running.
	workerTimeout = 30 * time.Second

	maxMessage = 4 << 10
	maxStatus  = 1 << 10
	// maxCount is the largest integer that scripts represent exactly.
	maxCount = 1 << 53
)

// A SyncResult is what Sync returns.
type SyncResult struct {
	// Messages are at most 1,000 published messages in order. Next is the number of the
	// message that follows them: pass it to the next Sync.
	Messages [][]byte
	Next     int
	// RunDuration is the duration of the current run of the crawl, since the first worker
	// opened it. If no worker is running, it is the duration of the last run.
	RunDuration time.Duration
	// Workers are all workers that ever opened the crawl, in any order.
	Workers []Worker
}

// A Worker is a process that has opened a crawl, now or earlier.
type Worker struct {
	Name        string
	Status      []byte        // of its last Sync
	LastSeenAgo time.Duration // time since its last Sync or Open
	Registered  bool          // it has not called Close, though it may have died
}

// Publish appends a message, of at most 4 KiB. Sync returns it to all workers of the crawl,
// including those that join later. Observers may publish too.
func (s *Store) Publish(ctx context.Context, message []byte) error {
	if len(message) > maxMessage {
		return fmt.Errorf("%w: a message of %d bytes", frontier.ErrInvalid, len(message))
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	_, err := s.callOnce(ctx, "publish", string(message))
	return err
}

// Sync reports that this worker is running. It stores the worker's status, of at most 1 KiB;
// nil keeps the previous status. It returns all workers and the published messages, starting at
// number from. Call it every few seconds: first with 0, then with SyncResult.Next of the previous
// call. It takes one round trip. Observers pass a nil status and are not listed.
func (s *Store) Sync(ctx context.Context, status []byte, from int) (*SyncResult, error) {
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
	c := s.crawlCall("sync", "", flag(!s.opts.Observe), has, string(status), strconv.Itoa(from))
	r, err := s.run(ctx, fixed(c))
	if err != nil {
		return nil, err
	}
	news := &SyncResult{RunDuration: time.Duration(r.int(1)) * time.Microsecond, Next: int(r.int(3))}
	for i := range r.array(2) {
		news.Messages = append(news.Messages, []byte(r.array(2).string(i)))
	}
	for i := range r.array(4) {
		w := r.array(4).array(i)
		news.Workers = append(news.Workers, Worker{
			Name: w.string(0), Status: []byte(w.string(1)),
			LastSeenAgo: time.Duration(w.int(2)) * time.Microsecond, Registered: w.int(3) == 1,
		})
	}
	return news, nil
}

// Reserve adds n to a counter of the crawl, or less so that the counter does not exceed
// limit, and returns the number that it added. The share of this worker is recorded. A negative n
// reduces the counter, by at most the worker's share.
func (s *Store) Reserve(ctx context.Context, counter string, n, limit int64) (got int64, err error) {
	if !countable(n) {
		return 0, fmt.Errorf("%w: the number %d is too large", frontier.ErrInvalid, n)
	}
	if err := s.enterWorker(ctx); err != nil {
		return 0, err
	}
	limit = min(max(limit, 0), maxCount)
	r, err := s.callOnce(ctx, "reserve", counter, strconv.FormatInt(n, 10), strconv.FormatInt(limit, 10))
	if err != nil {
		return 0, err
	}
	return r.int(1), nil
}

// SetReserved sets this worker's shares of all counters, and 0 for those that are missing in
// reserved. A worker that resumes after a crash calls it before Reserve, with the numbers that it
// has actually used.
func (s *Store) SetReserved(ctx context.Context, reserved map[string]int64) error {
	if err := s.enterWorker(ctx); err != nil {
		return err
	}
	var args []string
	for counter, n := range reserved {
		if n < 0 || !countable(n) {
			return fmt.Errorf("%w: %d reserved of %q", frontier.ErrInvalid, n, counter)
		}
		args = append(args, counter, strconv.FormatInt(n, 10))
	}
	_, err := s.run(ctx, fixed(s.crawlCall("set_reserved", "", args...)))
	return err
}

func countable(n int64) bool { return -maxCount <= n && n <= maxCount }

// crawlCall returns a call of the script of the whole crawl.
func (s *crawl) crawlCall(what, nonce string, args ...string) call {
	return call{s.scripts.crawl, s.layout.key("meta"), append([]string{what, s.opts.WorkerName, s.instance, nonce}, args...)}
}

// callOnce makes a call that must not be executed twice. Redis stores one reply per worker, so
// only one such call runs at a time.
func (s *crawl) callOnce(ctx context.Context, what string, args ...string) (reply, error) {
	ctx, cancel := s.within(ctx)
	defer cancel()
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, s.ended(ctx)
	}
	defer func() { <-s.changing }()
	return s.run(ctx, fixed(s.crawlCall(what, newNonce(), args...)))
}
