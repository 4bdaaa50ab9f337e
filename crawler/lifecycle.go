package crawler

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
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
