package crawler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A lifecycle knows whether a crawl is at work, and why it ends. It is safe for concurrent
// use.
type lifecycle struct {
	log *slog.Logger

	// working is the context of everything that workers do with URLs. It ends with Abort,
	// not with the context of Run: requests in flight are finished.
	working context.Context
	abort   context.CancelFunc

	// commitCtx is used to report outcomes to the frontier. It outlives Abort; only where
	// the frontier may be out of reach does it end, a little later.
	commitCtx context.Context

	open   sync.RWMutex // held while the frontier is used by a request that nobody waits for
	closed bool         // guarded by open

	mu    sync.Mutex         // guards all below
	leave context.CancelFunc // ends the handing out of leases; nil: there is none yet
	end   End                // empty: the crawl goes on
	fault error              // of our own side
	stats frontier.Stats     // as they were last seen
}

func newLifecycle(log *slog.Logger) *lifecycle {
	l := &lifecycle{log: log, commitCtx: context.Background()}
	l.working, l.abort = context.WithCancel(l.commitCtx)
	return l
}

// leases returns the context under which URLs are handed out: until ctx ends, or the crawl.
func (l *lifecycle) leases(ctx context.Context) (context.Context, context.CancelFunc) {
	leases, leave := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leave = leave; l.end != "" {
		leave() // it was stopped before it ran
	}
	return leases, leave
}

// stop ends the handing out of URLs. The first reason counts.
func (l *lifecycle) stop(why End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == "" {
		l.log.Info("crawl ends", "reason", why)
	}
	l.end = cmp.Or(l.end, why)
	if l.leave != nil {
		l.leave()
	}
}

// fail ends the handing out of URLs for an error of our own side, as a full disk.
func (l *lifecycle) fail(err error) {
	l.mu.Lock()
	first := l.fault == nil
	l.end = EndFailed
	l.fault = cmp.Or(l.fault, err)
	if l.leave != nil {
		l.leave()
	}
	l.mu.Unlock()
	if first { // each worker reports it
		l.log.Error("crawl fails", "error", err)
	}
}

// failed reports whether an error of our own side has ended the crawl.
func (l *lifecycle) failed() bool {
	_, _, fault := l.ending()
	return fault != nil
}

// ending returns why the crawl ends, the last statistics of the frontier, and the error of our
// own side.
func (l *lifecycle) ending() (end End, stats frontier.Stats, fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end, l.stats, l.fault
}

// saw remembers statistics of the frontier.
func (l *lifecycle) saw(stats frontier.Stats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats = stats
}

// whileOpen calls use, unless the frontier is closed or the crawl has failed: then nobody
// waits for the request any more that wants it.
func (l *lifecycle) whileOpen(use func() error) {
	l.open.RLock()
	defer l.open.RUnlock()
	if l.closed || l.failed() {
		return
	}
	if err := use(); err != nil {
		l.fail(err)
	}
}

// close ends what whileOpen lets through. When it returns, nothing is under way.
func (l *lifecycle) close() {
	l.open.Lock()
	defer l.open.Unlock()
	l.closed = true
}

// ended writes what is still skipped or deferred, closes everything and sums up.
func (c *Crawler) ended() (*Summary, error) {
	end, last, fault := c.life.ending()
	c.giveBack()
	err := fault
	if c.life.commitCtx.Err() != nil { // somebody did not want to wait for Redis any longer
		end, fault, err = EndInterrupted, nil, nil
		c.notice("Redis was not told of what was fetched last; that is asked for again when the crawl goes on")
	} else if fault == nil { // else nothing can be written any more
		if err = c.recovered(); err == nil {
			err = c.record.WriteRejected(end == EndLater, c.blockOf)
		}
	}
	if err == nil {
		err = c.record.Flush()
	}
	stats, statsErr := c.frontier.Stats(c.life.commitCtx)
	if statsErr != nil {
		stats = last
		if fault == nil && c.life.commitCtx.Err() == nil {
			err = errors.Join(err, statsErr)
		}
	}
	c.life.saw(stats) // Status returns them as long as the sinks are open
	left := stats.Pending + stats.Scheduled + stats.Leased
	if err == nil {
		c.state.Unlisted = c.tally.summary().Unlisted
		c.state.Ended = &ending{End: end, Left: left, Written: c.record.Written(), Uncommitted: c.life.commitCtx.Err() != nil}
		err = output.SaveState(c.cfg.Output.Dir, c.state)
	}
	err = errors.Join(err, c.close())
	hosts, noted := c.record.Deferred.All()
	c.tally.count(func(s *Summary) {
		s.End = end
		for _, h := range hosts {
			s.Waiting = append(s.Waiting, string(h))
			s.WaitingWhy = append(s.WaitingWhy, noted[h].Why.Detail)
		}
		s.Left = left
		s.Hosts = stats.Hosts
		if s.Left > 0 {
			s.NextDue = stats.NextDue
		}
	})
	sum := c.tally.summary()
	sum.Shared = sharedBy(&c.cfg, c.cfg.Cluster.Worker, c.member.Peers())
	if err != nil {
		sum.End = EndFailed
	}
	c.logEnded(&sum, err)
	return &sum, err
}

// closingTime is how long the frontier is told of outcomes after an Abort, where it may be
// out of reach.
const closingTime = 5 * time.Second

// giveBack tells other processes how far this one has come, and gives back what it has in
// hand of the limits. What of it does not come about does when the crawl is resumed.
func (c *Crawler) giveBack() {
	ctx, cancel := context.WithTimeout(c.life.commitCtx, closingTime)
	defer cancel()
	err := c.member.Sync(ctx)
	if err := errors.Join(err, c.limits.Settle(ctx, true)); err != nil {
		c.log.Warn("limits are not given back", "error", err)
	}
}

// close closes what open has opened.
func (c *Crawler) close() error {
	c.life.close()
	var errs []error
	if c.network.client != nil {
		c.network.client.CloseIdleConnections() // those of the pages too: they share a transport
	}
	c.member.Close()
	if c.record != nil {
		errs = append(errs, c.record.Close()) // while a sink that watches the crawl can still look at the frontier
	}
	if c.frontier != nil {
		errs = append(errs, c.frontier.Close())
	}
	return errors.Join(errs...)
}
