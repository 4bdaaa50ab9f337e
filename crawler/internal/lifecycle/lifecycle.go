// Package lifecycle knows whether a crawl is at work, and why it ends.
package lifecycle

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// failed is the end of a crawl by an error of our own side. The others are the caller's.
const failed plan.End = "failed"

// A Lifecycle knows whether a crawl is at work, and why it ends. It is safe for concurrent
// use.
type Lifecycle struct {
	log *slog.Logger

	// Working is the context of everything that workers do with URLs. It ends with Abort,
	// not with the context of Run: requests in flight are finished.
	Working context.Context
	Abort   context.CancelFunc

	// CommitCtx is used to report outcomes to the frontier. It outlives Abort; only where
	// the frontier may be out of reach does it end, a little later.
	CommitCtx context.Context

	open   sync.RWMutex // held while the frontier is used by a request that nobody waits for
	closed bool         // guarded by open

	mu         sync.Mutex         // guards all below
	stopLeases context.CancelFunc // ends the handing out of leases; nil: there is none yet
	end        plan.End           // empty: the crawl goes on
	fault      error              // of our own side
	stats      frontier.Stats     // as they were last seen
}

// New returns the lifecycle of a crawl that has not begun.
func New(log *slog.Logger) *Lifecycle {
	l := &Lifecycle{log: log, CommitCtx: context.Background()}
	l.Working, l.Abort = context.WithCancel(l.CommitCtx) //nolint:gosec // whoever runs the crawl calls Abort
	return l
}

// Leases returns the context under which URLs are handed out: until ctx ends, or the crawl.
func (l *Lifecycle) Leases(ctx context.Context) (context.Context, context.CancelFunc) {
	leases, stop := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopLeases = stop; l.end != "" {
		stop() // it was stopped before it ran
	}
	return leases, stop
}

// Stop ends the handing out of URLs. The first reason counts.
func (l *Lifecycle) Stop(why plan.End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == "" {
		l.log.Info("crawl stopping", "reason", why)
	}
	l.end = cmp.Or(l.end, why)
	if l.stopLeases != nil {
		l.stopLeases()
	}
}

// Fail ends the handing out of URLs for an error of our own side, as a full disk.
func (l *Lifecycle) Fail(err error) {
	l.mu.Lock()
	first := l.fault == nil
	l.end = failed
	l.fault = cmp.Or(l.fault, err)
	if l.stopLeases != nil {
		l.stopLeases()
	}
	l.mu.Unlock()
	if first { // each worker reports it
		l.log.Error("crawl failed", "error", err)
	}
}

// HasFailed reports whether an error of our own side has ended the crawl.
func (l *Lifecycle) HasFailed() bool {
	_, _, fault := l.Ending()
	return fault != nil
}

// Ending returns why the crawl ends, the last statistics of the frontier, and the error of our
// own side.
func (l *Lifecycle) Ending() (end plan.End, stats frontier.Stats, fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end, l.stats, l.fault
}

// SetStats remembers statistics of the frontier.
func (l *Lifecycle) SetStats(stats frontier.Stats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats = stats
}

// WhileOpen calls use, unless the frontier is closed or the crawl has failed: then nobody
// waits for the request any more that wants it.
func (l *Lifecycle) WhileOpen(use func() error) {
	l.open.RLock()
	defer l.open.RUnlock()
	if l.closed || l.HasFailed() {
		return
	}
	if err := use(); err != nil {
		l.Fail(err)
	}
}

// Close ends what WhileOpen lets through. When it returns, nothing is under way.
func (l *Lifecycle) Close() {
	l.open.Lock()
	defer l.open.Unlock()
	l.closed = true
}
