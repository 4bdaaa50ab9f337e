// Package lifecycle tracks whether a crawl is running and why it ends, and tells its operator.
package lifecycle

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// A Lifecycle tracks whether a crawl is running, and why it ends. It is safe for concurrent
// use.
type Lifecycle struct {
	log   *slog.Logger
	Board *notice.Board

	// Working is the context of everything that workers do with URLs. It ends with Abort,
	// not with the context of Run: requests in flight are finished.
	Working context.Context
	Abort   context.CancelFunc

	// CommitCtx is used to report outcomes to the frontier. It outlives Abort. It ends a little
	// later only if the frontier may be out of reach.
	CommitCtx context.Context

	open   sync.RWMutex // held by WhileOpen
	closed bool         // guarded by open

	mu         sync.Mutex         // guards all below
	stopLeases context.CancelFunc // ends the handing out of leases; nil if there is none yet
	end        plan.End           // empty while the crawl runs
	fault      error              // internal error
	stats      frontier.Stats     // as they were last seen
}

// New returns the lifecycle of a crawl that has not started. A nil board shows nothing.
func New(log *slog.Logger, board *notice.Board) *Lifecycle {
	l := &Lifecycle{log: log, Board: board, CommitCtx: context.Background()}
	l.Working, l.Abort = context.WithCancel(l.CommitCtx) //nolint:gosec // whoever runs the crawl calls Abort
	return l
}

// Notice shows the operator a line, and logs it as a message with attributes.
func (l *Lifecycle) Notice(message, line string, attrs ...any) {
	l.log.Warn(message, attrs...)
	l.Board.Show(line)
}

// Leases returns the context for leasing URLs. It ends with ctx or the crawl.
func (l *Lifecycle) Leases(ctx context.Context) (context.Context, context.CancelFunc) {
	leases, stop := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopLeases = stop; l.end != "" {
		stop() // it was stopped before it ran
	}
	return leases, stop
}

// Stop stops leasing URLs. The first reason counts. An empty reason does nothing.
func (l *Lifecycle) Stop(why plan.End) {
	if why == "" {
		return
	}
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

// Fail ends the crawl with an internal error, such as a full disk.
func (l *Lifecycle) Fail(err error) {
	l.mu.Lock()
	first := l.fault == nil
	l.end = plan.Failed
	l.fault = cmp.Or(l.fault, err)
	if l.stopLeases != nil {
		l.stopLeases()
	}
	l.mu.Unlock()
	if first { // each worker reports it
		l.log.Error("crawl failed", "error", err)
	}
}

// HasFailed reports whether an internal error has ended the crawl.
func (l *Lifecycle) HasFailed() bool {
	_, _, fault := l.Ending()
	return fault != nil
}

// Ending returns why the crawl ends, the last statistics of the frontier, and the internal
// error.
func (l *Lifecycle) Ending() (end plan.End, stats frontier.Stats, fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end, l.stats, l.fault
}

// SetStats stores statistics of the frontier.
func (l *Lifecycle) SetStats(stats frontier.Stats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats = stats
}

// WhileOpen calls use, unless the frontier is closed or the crawl has failed. It is for
// requests that may end after the crawl.
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

// Close makes WhileOpen ignore further calls, and waits for those in progress.
func (l *Lifecycle) Close() {
	l.open.Lock()
	defer l.open.Unlock()
	l.closed = true
}
