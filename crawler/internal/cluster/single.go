package cluster

import (
	"context"
	"math"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// Single is the member of a crawl of one process.
type Single struct {
	Frontier frontier.Frontier
	MaxTime  time.Duration // from Start; 0 means no limit
	Handler  Handler

	timer *time.Timer
}

// ID implements [Member].
func (*Single) ID() string { return "" }

// Start implements [Member].
func (a *Single) Start() {
	if a.MaxTime > 0 {
		a.timer = time.AfterFunc(a.MaxTime, func() { a.Handler.Stop(plan.MaxTime) })
	}
}

// Close implements [Member].
func (a *Single) Close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// Announce implements [Member].
func (*Single) Announce(context.Context, string) (known bool, err error) { return false, nil }

// Sync implements [Member].
func (*Single) Sync(context.Context) error { return nil }

// FetchesAll implements [Member].
func (*Single) FetchesAll() bool { return true }

// Peers implements [Member].
func (*Single) Peers() []Peer { return nil }

// Hold implements [Member].
func (*Single) Hold(*frontier.Lease) {}

// Release implements [Member].
func (*Single) Release(frontier.LeaseID) {}

// Lost implements [Member].
func (*Single) Lost(frontier.LeaseID) bool { return false }

// WithinLease implements [Member].
func (*Single) WithinLease(context.Context, *url.URL, func(error)) error { return nil }

// Finished implements [Member].
func (*Single) Finished(context.Context) (bool, error) { return true, nil }

// Counts implements [Member].
func (a *Single) Counts(ctx context.Context, _ frontier.Stats) (frontier.Stats, error) {
	return a.Frontier.Stats(ctx)
}

// IdleCheckInterval implements [Member].
func (*Single) IdleCheckInterval() (rest, longest time.Duration) {
	return 5 * time.Millisecond, math.MaxInt64
}

// RecheckSlowed implements [Member].
func (*Single) RecheckSlowed() time.Duration { return 0 }
