package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	sentinelRefresh = 5 * time.Second

	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
	// failOver is the time for which a call to a read-only server is retried.
	failOver = 30 * time.Second
	// silence is the time without a reply after which the next one may come from a master that hung while
	// a replica took over. Sentinels wait longer before they replace a master.
	silence = 500 * time.Millisecond
)

// A server is the connection to a server, a Cluster, or the master of Sentinels.
type server struct {
	opts    Options
	address address
	client  rueidis.Client
	alive   context.Context // ends with Close
	stop    context.CancelFunc
	outages outages

	staleMaster bool // of MayHaveStaleMaster

	heard atomic.Pointer[heard] // the last call that a sure master of Sentinels replied to
}

// String returns the address, without the password, and the name of the crawl.
func (s *server) String() string { return s.address.String() + " " + s.opts.CrawlName }

// enter returns an error if the context has ended or the store is closed.
func (s *server) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.ended(s.alive)
}

// enterWorker is enter for calls that observers may not make.
func (s *server) enterWorker(ctx context.Context) error {
	if s.opts.Observe {
		return ErrObserver
	}
	return s.enter(ctx)
}

// ended returns the reason for which a context has ended, or nil.
func (s *server) ended(ctx context.Context) error {
	if s.alive.Err() != nil {
		return frontier.ErrClosed
	}
	return ctx.Err()
}

// within returns a context that ends with ctx and with Close.
func (s *server) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	undo := context.AfterFunc(s.alive, cancel)
	return ctx, func() { undo(); cancel() }
}

// retry repeats do while Redis is unavailable, until RetryTimeout or Close. Do must return
// classified errors.
func (s *server) retry(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	deadline := time.Now().Add(s.opts.RetryTimeout)
	var refused time.Time // time of the first read-only error
	retrying := false
	stop := func() {
		if retrying {
			s.outages.count(-1)
		}
		retrying = false
	}
	defer stop()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do(ctx)
		if err == nil {
			stop() // before report, which counts the calls
			s.report(nil)
			return nil
		}
		if ended := s.ended(ctx); ended != nil {
			return ended
		}
		readOnly := errors.Is(err, ErrReadOnly)
		if readOnly && refused.IsZero() {
			refused = time.Now()
		}
		switch {
		case !readOnly && !errors.Is(err, ErrUnavailable), !time.Now().Add(pause).Before(deadline):
			return err
		case readOnly && time.Since(refused) > failOver:
			return err // no replica is about to become master
		}
		if !retrying {
			s.outages.count(1)
		}
		retrying = true
		s.report(err)
		s.opts.Logger.Warn("redis is not available", "error", err, "next", time.Now().Add(pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return s.ended(ctx)
		}
	}
}

// master returns the only node of a client of Sentinels, or nil if it knows none at the moment.
func (s *server) master() (addr string, node rueidis.Client) {
	for addr, node := range s.client.Nodes() {
		return addr, node
	}
	return "", nil
}

// confirmations is the number of writes that confirm a reply after a silence. Between two replies a server
// handles what all its connections have received. At first it may still handle only the calls that it had
// fetched before it hung, then what its replica sent before it left, and then the end of the replica's
// connection.
const confirmations = 3

// heard is the start of a call to a master that has replied.
type heard struct {
	addr string
	at   time.Time
}

// confirm returns ErrUnavailable if the master has replied to a call that began at start after a silence, and
// now rejects a write without an effect. A master that was replaced while it hung executes the
// calls that it had received by then, and those that come when it continues. Afterwards it notices that
// it has lost its replica (min-replicas-to-write).
func (s *server) confirm(ctx context.Context, addr string, master rueidis.Client, key string, start time.Time) error {
	if master == nil {
		return ErrUnavailable
	}
	if last := s.heard.Load(); last == nil || last.addr != addr || time.Since(last.at) > silence {
		for range confirmations {
			err := master.Do(ctx, master.B().Hdel().Key(key+":none").Field("none").Build()).Error()
			if err != nil {
				// Not an error reply, since the call was executed.
				return fmt.Errorf("%w: a reply after a silence is not confirmed: %s", ErrUnavailable, err.Error())
			}
		}
	}
	s.heard.Store(&heard{addr, start})
	return nil
}
