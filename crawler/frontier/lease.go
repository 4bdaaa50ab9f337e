package frontier

import (
	"errors"
	"fmt"
	"time"
)

// ErrLeaseLost says that a lease is no longer the caller's: it has expired, or
// was finished before. Someone else may be fetching the URL.
var ErrLeaseLost = errors.New("lease lost")

// A LostError is returned by Extend and says which leases were lost. It is
// ErrLeaseLost for errors.Is.
type LostError struct {
	Leases []LeaseID
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%v (%d of those to be extended)", ErrLeaseLost, len(e.Leases))
}

// Unwrap returns ErrLeaseLost.
func (e *LostError) Unwrap() error { return ErrLeaseLost }

// A LeaseID names one lease of one URL. A URL that is leased again gets a new
// one, so that a late holder of the old cannot end it (a fencing token). Its
// content is the store's own.
type LeaseID string

// A LeaseRequest says what a call of Lease is to return at the most.
type LeaseRequest struct {
	// Max is the most leases to return. 0: 1.
	Max int
	// PerHost is the most of one host among them. 0: only the host's
	// MaxInFlight and delay are the limit.
	PerHost int
	// Wait is how long to wait when nothing can be leased. 0: not at all;
	// less: until there is something or the context ends.
	Wait time.Duration
	// For is the length of the leases. 0: the store's own, which is some
	// minutes. It should be well above the time that one fetch may take.
	For time.Duration
}

// A Lease is the right to fetch one URL, until it expires.
type Lease struct {
	Item
	ID LeaseID
	// Attempt is 1 for the first lease of a URL and one more for each lease
	// since that ended with Retry, expired, or was open when the store went
	// down. Leases that ended with Defer do not count. After Done with a time
	// to fetch again it starts at 1 again.
	Attempt int
	// Expires is when the lease is lost, unless it is finished or extended:
	// from then on the URL may be leased by others, and Finish and Extend
	// return ErrLeaseLost.
	Expires time.Time
	// Validators are those of the last good fetch. Nil: there was none.
	Validators *Validators
}
