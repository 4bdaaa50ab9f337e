package frontier

import (
	"context"
	"errors"
	"iter"
	"time"
)

// ErrClosed is returned by every method of a closed frontier, also by a call
// that was waiting when Close came.
var ErrClosed = errors.New("closed")

// ErrInvalid is the class of errors about an argument that no store can take:
// an item without host, an outcome without result.
var ErrInvalid = errors.New("invalid argument")

// MaxNote is the most bytes that a note given to Finish may have.
const MaxNote = 4 << 10

// A Frontier holds what is still to be fetched and decides which of it may be
// fetched now. The package comment tells the life of a URL in it.
//
// What holds for every implementation, and is checked by package storetest:
//
//   - All methods may be called from several goroutines at once, and for a
//     store that is shared, from several processes.
//   - A method that returned nil has done its work for good, in the measure in
//     which the store is durable at all. One that returned an error may have
//     done all of it, some or nothing; calling it again is safe.
//   - Bytes and slices passed in may be reused by the caller as soon as the
//     call returns; what comes out belongs to the caller.
//   - Times passed in are points on the caller's clock, times returned too.
//     A store may round a wait up to its own resolution, by a millisecond at
//     the most, and never down. A clock that is set back does not make a
//     wait shorter.
//   - Only Lease and Hold wait. They return soon after their context ends.
type Frontier interface {
	// Add brings in URLs, in the order in which they were discovered, and
	// says for each whether it was new. A URL is new once: added again, also
	// at the same moment by someone else, also after it was done or dropped,
	// it is left as it is and added is false for it.
	//
	// An item that is not valid fails the whole call with ErrInvalid, and
	// nothing is added.
	Add(ctx context.Context, items []Item) (added []bool, err error)

	// Known says for each URL whether it was ever added. A caller that leaves
	// URLs aside asks, to tell those from what the crawl took up another way.
	// Their hosts are taken from the URLs: what was added with another
	// Item.Host may not be found.
	Known(ctx context.Context, urls []string) (known []bool, err error)

	// Lease hands out URLs that may be requested now. Of a host it gives no
	// more than the host's free slots and nothing before the host is due; see
	// HostUpdate for both. Hosts take turns in the order in which they became
	// due, one URL a turn, so that none waits for a big one. Inside a host
	// the order is priority, then discovery; a URL that comes back goes ahead
	// of those of its priority that were never leased. Where one that was
	// added with a NotBefore stands among its equals is left to the store.
	//
	// When there is nothing to give, Lease waits for it as long as the
	// request says and then returns no leases and no error. A call that
	// returns an error has leased nothing.
	Lease(ctx context.Context, req LeaseRequest) ([]Lease, error)

	// Finish ends leases, each with its outcome, and adds the links that were
	// found. The links of an outcome are stored before its lease ends or
	// together with that, never after: a crash in between leads to a second
	// fetch, not to lost links.
	//
	// There is an error in errs for each outcome that was not accepted, and
	// nil for the others. ErrLeaseLost: the lease was finished before or has
	// expired; nothing was changed, but the links were added all the same.
	// ErrInvalid: the outcome or one of its links is malformed; nothing was
	// done for it. When err is not nil, errs is nil.
	//
	// A note that is not nil replaces the one kept before, whatever becomes of
	// the outcomes, of which there may be none. It is stored together with
	// them: after a crash there is never one without the other. A caller that
	// keeps files beside the frontier learns from it which of what it wrote
	// counts. One that is longer than MaxNote fails the call with ErrInvalid.
	Finish(ctx context.Context, outcomes []Outcome, note []byte) (errs []error, err error)

	// Note returns the note kept by Finish. Nil: there never was one.
	Note(ctx context.Context) ([]byte, error)

	// Extend moves the end of leases to d from now, or leaves it when that is
	// later already. When some of them are lost the others are extended and
	// the error is a *LostError, which names them.
	Extend(ctx context.Context, ids []LeaseID, d time.Duration) error

	// Hold takes a slot of h for one request that belongs to no lease, such
	// as a robots.txt that redirects to another host. It waits until h is due
	// and has a free slot, and goes before any lease of h. The host need not
	// be known.
	//
	// Release gives the slot back and sets the host's clock as
	// Outcome.HostDelay does: zero when no request was made. Calls after the
	// first do nothing. A hold that is not released ends like a lease that
	// expires, after the store's own length of a lease.
	//
	// The slot of a lease is its own: do not call Hold for the host of a
	// lease that you have. Two callers that each keep one host and wait for
	// the other's would wait for ever, so give ctx a deadline.
	Hold(ctx context.Context, h Host) (release func(delay time.Duration), err error)

	// Host returns what is known of h. For a host that is not known that is
	// the settings which a new host starts with, and no error.
	Host(ctx context.Context, h Host) (HostRecord, error)

	// UpdateHost changes settings of h, which need not be known. They stay
	// when the last URL of h is finished.
	UpdateHost(ctx context.Context, h Host, u HostUpdate) error

	// Stats counts URLs by state, at one moment.
	Stats(ctx context.Context) (Stats, error)

	// Close ends the use of the store. Calls that wait return ErrClosed, and
	// so does every later call but Close, which returns nil. Leases still
	// open are given back as after a crash.
	//
	// A store that was down cannot tell, when it is opened again, whether a
	// request was on its way to the end. So no host that it knows, by a URL or
	// by a Hold, is due earlier than HostRecord.Delay after that.
	Close() error
}

// A Revisiter is a Frontier that can start another round of a crawl.
type Revisiter interface {
	// Revisit is Add for URLs that may be fetched a second time. URLs that are
	// done or dropped become pending again, behind those that wait, with the
	// priority, NotBefore and Meta of their item. They keep their validators
	// for the next lease, and their attempts count from 1 again. Again is true
	// for these and for URLs that are new. URLs that wait or are leased stay as
	// they are, so repeating a call brings back nothing that has not been
	// fetched since.
	Revisit(ctx context.Context, items []Item) (again []bool, err error)
}

// A Lister is a Frontier that can list the URLs that wait.
type Lister interface {
	// Waiting lists the URLs of these hosts, or of all hosts when none is
	// named, that wait: those pending, and those scheduled with NotBefore set;
	// not those leased. It reads the frontier once, however many hosts there
	// are. Every URL that waits from the beginning of the loop to its end is
	// listed, and no URL is listed twice; the order is the store's. The loop
	// may use the frontier, but not close it. An error ends the list.
	Waiting(ctx context.Context, hosts ...Host) iter.Seq2[Item, error]
}
