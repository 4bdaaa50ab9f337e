package cluster

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Alone is the member of a crawl of one process.
type Alone struct {
	Frontier frontier.Frontier
	MaxTime  time.Duration // from Start; 0: no limit
	Handler  Handler

	timer *time.Timer
}

// ID implements [Member].
func (*Alone) ID() string { return "" }

// Start implements [Member].
func (a *Alone) Start() {
	if a.MaxTime > 0 {
		a.timer = time.AfterFunc(a.MaxTime, func() { a.Handler.Stop(MaxTime) })
	}
}

// Close implements [Member].
func (a *Alone) Close() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// Announce implements [Member].
func (*Alone) Announce(context.Context, string) (known bool, err error) { return false, nil }

// Sync implements [Member].
func (*Alone) Sync(context.Context) error { return nil }

// Peers implements [Member].
func (*Alone) Peers() []Peer { return nil }

// Hold implements [Member].
func (*Alone) Hold(*frontier.Lease) {}

// Release implements [Member].
func (*Alone) Release(frontier.LeaseID) {}

// Lost implements [Member].
func (*Alone) Lost(frontier.LeaseID) bool { return false }

// WithinLease implements [Member].
func (*Alone) WithinLease(*http.Request, func(error)) (done func(), err error) { return func() {}, nil }

// Finished implements [Member].
func (*Alone) Finished(context.Context) (bool, error) { return true, nil }

// Counts implements [Member].
func (a *Alone) Counts(ctx context.Context, _ frontier.Stats) (frontier.Stats, error) {
	return a.Frontier.Stats(ctx)
}

// LookInterval implements [Member].
func (*Alone) LookInterval() (rest, longest time.Duration) {
	return 5 * time.Millisecond, math.MaxInt64
}

// RecheckSlowed implements [Member].
func (*Alone) RecheckSlowed() time.Duration { return 0 }

// LongestDelay implements [Member].
func (*Alone) LongestDelay(own, _ time.Duration) time.Duration { return own }
