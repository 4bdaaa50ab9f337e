package frontier

import (
	"context"
	"errors"
	"iter"
	"time"
)

// ErrClosed is returned by every method of a closed frontier, including calls that were
// waiting when it was closed.
var ErrClosed = errors.New("closed")

// ErrInvalid is the class of errors about invalid arguments, such as an item without host or
// an outcome without result.
var ErrInvalid = errors.New("invalid argument")

// MaxNote is the maximum size of a note (see Frontier.Finish) in bytes.
const MaxNote = 4 << 10

// A Frontier stores URLs and decides which may be fetched now. The package comment explains
// the states of a URL.
//
// Package storetest checks these rules for every implementation:
//
//   - All methods are safe for concurrent use by goroutines and, for a shared store, by
//     processes.
//   - When a method returns nil, its changes are complete, and as durable as the store makes
//     them. A method that returned an error may have done all, some or none of its work. It can be called again.
//   - The caller may reuse arguments after the call. Results belong to the caller.
//   - Times in arguments and results are on the caller's clock, even if the store has a clock
//     of its own. A store may round a wait up by at most a millisecond, never down. A clock
//     that is set back does not shorten a wait.
//   - Only Lease and Hold wait. They return soon after their context ends.
type Frontier interface {
	// Add adds URLs in the order of their discovery and reports which are new. Each Key is new
	// only once. For a known one, in any state, added is false and nothing changes.
	//
	// If an item is invalid, Add returns ErrInvalid and adds nothing.
	Add(ctx context.Context, items []Item) (added []bool, err error)

	// Known reports for each key whether it was ever added. It uses the host in the URL, so
	// it may not find items that were added with another Item.Host.
	Known(ctx context.Context, keys []Key) (known []bool, err error)

	// Lease returns URLs that may be requested now. A host gets no more leases than it has
	// free slots, and none before it is due; see HostUpdate for both. Hosts are served round
	// robin in the order in which they became due, one URL each, so that no host waits for a
	// large one. Within a host the order is priority, then discovery. A retried URL precedes
	// those of its priority that were never leased. The store decides where a URL
	// added with NotBefore is placed among URLs of the same priority.
	//
	// If no URL is available, Lease waits for LeaseRequest.Wait and then returns no leases
	// and no error. A call that returns an error has leased nothing.
	Lease(ctx context.Context, req LeaseRequest) ([]Lease, error)

	// Finish ends leases with their outcomes and adds the links that were found. Links are
	// stored before the lease ends or atomically with it. So a crash in between causes a
	// second fetch, but loses no links.
	//
	// For each outcome, errs has an error or nil. ErrLeaseLost: the lease was finished before
	// or has expired; no URL changed its state, but the links were added. ErrInvalid: the outcome
	// or one of its links is invalid and was ignored. If err is not nil, errs is nil.
	//
	// A note is a checkpoint of the caller, which the store does not interpret. It is stored
	// atomically with the outcomes. A caller that writes files can tell from it after a crash
	// how much of them is valid. A note that is not nil replaces the stored note, even without
	// outcomes or if they fail. A note longer than MaxNote is ErrInvalid.
	Finish(ctx context.Context, outcomes []Outcome, note []byte) (errs []error, err error)

	// Note returns the last checkpoint that Finish stored, or nil if there is none.
	Note(ctx context.Context) ([]byte, error)

	// Extend extends leases until d from now; it never shortens a lease. If some leases are
	// lost, it extends the others and returns a *LostError with the lost ones.
	Extend(ctx context.Context, ids []LeaseID, d time.Duration) error

	// Hold acquires a slot of h for one request without a lease, such as a robots.txt that
	// redirects to another host. It waits until h is due and has a free slot, and takes
	// precedence over new leases of h. The host may be unknown.
	//
	// The function release frees the slot. Its argument has the meaning of Outcome.HostDelay;
	// pass zero if no request was made. Calls after the first do nothing. A hold that is not released
	// expires after the default lease time of the store.
	//
	// Do not call Hold for the host of your own lease, which has a slot. Two callers that
	// hold one host each and wait for the other's would deadlock, so give ctx a deadline.
	Hold(ctx context.Context, h Host) (release func(delay time.Duration), err error)

	// Host returns the record of h. For an unknown host it has the default settings.
	Host(ctx context.Context, h Host) (HostRecord, error)

	// UpdateHost changes settings of h, which may be unknown. They outlive the URLs of h.
	UpdateHost(ctx context.Context, h Host, u HostUpdate) error

	// Stats counts URLs by state, as a consistent snapshot.
	Stats(ctx context.Context) (Stats, error)

	// Close closes the store. Waiting calls and all later calls return ErrClosed, except
	// Close, which returns nil. Open leases are released as after a crash.
	//
	// A request may have been in flight when the store was closed. So when a store is opened,
	// every host that it knows from a URL or a Hold waits at least HostRecord.Delay.
	Close() error
}

// A Revisiter is a Frontier that can start a recrawl.
type Revisiter interface {
	// Revisit is like Add, but also queues known URLs again. Done and dropped URLs become pending,
	// after those already queued, with the priority, NotBefore and Meta of their item. They keep
	// their validators, and their attempts count from 1 again. For these and for new URLs, queued
	// is true. Other URLs do not change, so repeating a call returns false for URLs that have not
	// been fetched since.
	Revisit(ctx context.Context, items []Item) (queued []bool, err error)
}

// A Lister is a Frontier that can list waiting URLs.
type Lister interface {
	// Waiting lists the pending and scheduled URLs of these hosts, or of all hosts if none
	// is given. Scheduled URLs have NotBefore set; leased URLs are not listed. A call reads the
	// frontier once, for any number of hosts. A URL that waits during the whole loop is
	// listed exactly once, in any order. The loop may use the frontier, but not close it.
	// The sequence ends after an error.
	Waiting(ctx context.Context, hosts ...Host) iter.Seq2[Item, error]
}
