package frontier

import (
	"errors"
	"fmt"
	"time"
)

// ErrLeaseLost means that a lease has expired or was finished before. Another worker may be
// fetching the URL.
var ErrLeaseLost = errors.New("lease lost")

// A LostError is returned by Extend and lists the lost leases. It matches ErrLeaseLost
// (errors.Is).
type LostError struct {
	Leases []LeaseID
}

func (e *LostError) Error() string {
	return fmt.Sprintf("%v: cannot extend %d leases", ErrLeaseLost, len(e.Leases))
}

// Unwrap returns ErrLeaseLost.
func (e *LostError) Unwrap() error { return ErrLeaseLost }

// A LeaseID identifies one lease. Each lease of a URL has its own, so that the holder of an
// expired lease cannot finish the next one (a fencing token). Its content is opaque.
type LeaseID string

// A LeaseRequest contains the parameters of Lease.
type LeaseRequest struct {
	// Max is the maximum number of leases (default 1).
	Max int
	// PerHost is the maximum number of leases per host. Zero means no limit besides the host's
	// MaxInFlight and delay.
	PerHost int
	// Wait is the maximum time to wait for a URL. Zero means not to wait, negative to wait until
	// the context ends.
	Wait time.Duration
	// Duration is the duration of the leases. It should be much longer than a fetch may take. Zero
	// means the default of the store, 10 minutes unless its options say otherwise.
	Duration time.Duration
}

// A Lease is the right to fetch one URL, until it expires.
type Lease struct {
	Item
	ID LeaseID
	// Attempt is 1 for the first lease of a URL. It grows by one for each lease that ended
	// with Retry, expired, or was open when the store stopped, but not for Defer. After Done
	// with NotBefore it starts at 1 again.
	Attempt int
	// Expires is the end of the lease, unless it is extended. From then on others may lease
	// the URL, and Finish and Extend return ErrLeaseLost.
	Expires time.Time
	// Validators are those of the last successful fetch, or nil.
	Validators *Validators
}
