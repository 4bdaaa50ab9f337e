// Package cluster has several processes work on one crawl. They share the frontier with
// the clocks of its hosts, the settings, the scope and the limits; each writes files of
// its own.
//
// The crawler asks its [Member] wherever other processes make a difference, and does not
// know whether there are any: [Single] answers for a crawl of one process, [Redis] for one
// of several. The member passes what other processes announce to a [Handler].
package cluster

import (
	"context"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A Member is the part that one process has in a crawl.
type Member interface {
	// ID tells the crawl from all others, also from those that had its name. It is empty
	// where the directory of the process is all there is of the crawl.
	ID() string
	// Start begins to act on announcements and to watch the time limit of the crawl.
	Start()
	// Close ends what runs in the background.
	Close()

	// Announce tells all processes that the host of a URL belongs to the crawl. That comes
	// before the URL is in the frontier. Known says that another process may have fetched
	// the robots.txt of the host before.
	Announce(ctx context.Context, url string) (known bool, err error)
	// Sync tells the others how far this process has come, and acts on all that they have
	// announced.
	Sync(ctx context.Context) error
	// Peers returns all processes that ever worked on the crawl, by name; none: there is
	// no other than this one.
	Peers() []Peer

	// Hold extends a lease until Release.
	Hold(l *frontier.Lease)
	Release(id frontier.LeaseID)
	// Lost reports whether a lease that is held has ended, or is about to: another process may
	// have been given its URL.
	Lost(id frontier.LeaseID) bool
	// WithinLease calls abort when this process can no longer be sure that it has the host of
	// a request to itself. It fails when that is so already. The error, and what abort gets,
	// is a [frontier.ErrLeaseLost]. Done ends the watch.
	WithinLease(req *http.Request, abort func(error)) (done func(), err error)

	// Finished tells whether the crawl is over, when the frontier has nothing left.
	Finished(ctx context.Context) (bool, error)
	// Counts returns the counts of the frontier for a status, or last, those of the last
	// look, where asking costs more.
	Counts(ctx context.Context, last frontier.Stats) (frontier.Stats, error)
	// IdleCheckInterval returns the least time between two looks at the frontier, and the
	// longest.
	IdleCheckInterval() (rest, longest time.Duration)

	// RecheckSlowed returns how often to ask the frontier whether another process has
	// slowed a host down; zero: no other does.
	RecheckSlowed() time.Duration
	// LongestDelay returns the longest delay that any host of the crawl may have. Own is
	// that of the hosts that this process has requested, possible that of any.
	LongestDelay(own, possible time.Duration) time.Duration
}

// A Handler is what a [Member] needs of the crawl.
type Handler interface {
	// Progress returns how much this process has fetched.
	Progress() (pages int, bytes int64)
	// Join brings the host of a URL, which another process has announced, into the scope.
	Join(url string) error
	// ChangeLimits sets limits that were changed for the whole crawl.
	ChangeLimits(ctx context.Context, l *Limits) error
	// Stop ends the crawl of this process.
	Stop(why Reason)
	// Fail ends it because the crawl is out of reach.
	Fail(err error)
}

// A Reason says why a crawl is stopped.
type Reason int

// The reasons.
const (
	Stopped Reason = iota // somebody has stopped it for all processes
	MaxTime               // its time limit is reached
)

// Limits are limits of a whole crawl by their keys. What is nil stays as it is.
type Limits struct {
	MaxPages     *int           `json:"max-pages,omitempty"`
	MaxHostPages *int           `json:"max-host-pages,omitempty"`
	MaxBytes     *int64         `json:"max-bytes,omitempty"`
	MaxTime      *time.Duration `json:"max-time,omitempty"`
}

// A Peer is a process that works on a crawl, or has.
type Peer struct {
	Name    string
	Pages   int   // that it has fetched
	Bytes   int64 // of the bodies of these pages
	Working bool  // it has not ended, and reported in the last 30 seconds (silence)
	Ago     time.Duration
}
