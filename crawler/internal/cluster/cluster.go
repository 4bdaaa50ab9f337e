// Package cluster lets several processes work on one crawl. They share the frontier with
// the clocks of its hosts, the settings, the scope and the limits. Each writes its own files.
//
// The crawler calls a [Member] for everything that depends on other processes. [Single] is the
// member of a crawl of one process, [Redis] that of a shared crawl. The member passes the
// announcements of other processes to a [Handler].
package cluster

import (
	"context"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// A Member represents one process in a crawl.
type Member interface {
	// ID returns the unique ID of a shared crawl, or "" if the crawl is not shared.
	ID() string
	// FetchesAll reports whether this process fetches all pages of the crawl, so that its files have the
	// last fetch of each.
	FetchesAll() bool
	// Start starts to apply announcements and to watch the time limit of the crawl.
	Start()
	// Close stops all background work.
	Close()

	// Announce tells all processes that the host of a URL belongs to the crawl, before the
	// URL is in the frontier. Known says that another process may have fetched
	// the robots.txt of the host before.
	Announce(ctx context.Context, url string) (known bool, err error)
	// Sync reports the progress of this process to the others, and applies their
	// announcements.
	Sync(ctx context.Context) error
	// Peers returns all processes that ever worked on the crawl, by name. It is empty if the
	// crawl is not shared.
	Peers() []Peer

	// Hold extends a lease until Release.
	Hold(l *frontier.Lease)
	Release(id frontier.LeaseID)
	// Lost reports whether a lease that is held has ended or is about to end. Another process
	// may have its URL.
	Lost(id frontier.LeaseID) bool
	// WithinLease calls abort when the leases of a URL's host end, since another process may then
	// request the host. If they have already ended, it returns an error. The error is
	// [frontier.ErrLeaseLost], also the one passed to abort. The ctx ends with the request.
	WithinLease(ctx context.Context, u *url.URL, abort func(error)) error

	// Finished reports whether the crawl is over, when the frontier is empty.
	Finished(ctx context.Context) (bool, error)
	// Counts returns the counts of the frontier for a status. If a query is expensive, it
	// returns last, the counts of the last check.
	Counts(ctx context.Context, last frontier.Stats) (frontier.Stats, error)
	// IdleCheckInterval returns the minimum and the maximum time between two checks of the
	// frontier.
	IdleCheckInterval() (rest, longest time.Duration)

	// RecheckSlowed returns the interval of the checks whether another process has slowed down a
	// host. Zero means no checks.
	RecheckSlowed() time.Duration
}

// A Handler applies announcements to the crawl.
type Handler interface {
	// Progress returns the number of pages and bytes that this process has fetched.
	Progress() (pages int, bytes int64)
	// Join brings the host of a URL, which another process has announced, into the scope.
	Join(url string) error
	// ChangeLimits sets limits that were changed for the whole crawl.
	ChangeLimits(ctx context.Context, l *Limits) error
	// Stop ends the crawl of this process: it was stopped for all, or its time limit is reached.
	Stop(plan.End)
	// Fail ends it with an error.
	Fail(err error)
}

// Limits are the limits of a whole crawl by their keys. Nil means unchanged.
type Limits struct {
	MaxPages     *int      `json:"max-pages,omitempty"`
	MaxHostPages *int      `json:"max-host-pages,omitempty"`
	MaxBytes     *int64    `json:"max-bytes,omitempty"`
	MaxTime      *Duration `json:"max-time,omitempty"`
}

// A Duration is encoded in JSON as a string such as "1m30s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// A Peer is a process that works on a crawl or has worked on it.
type Peer struct {
	Name        string
	Pages       int   // fetched pages
	Bytes       int64 // total size of their bodies
	Running     bool  // it has not ended, and has reported in the last 30 seconds (workerTimeout)
	LastSeenAgo time.Duration
	Machine     string // name of its machine; empty if not known
	Dir         string // its directory there, absolute; empty if not known
}
