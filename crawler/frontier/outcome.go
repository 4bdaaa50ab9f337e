package frontier

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// A Result is the result of a lease. The zero value is invalid.
type Result uint8

const (
	// Done: the URL was fetched. It is fetched again only if Outcome.NotBefore is set.
	Done Result = iota + 1
	// Retry: the fetch failed and is retried at Outcome.NotBefore. The attempt counts; the
	// caller limits attempts by Lease.Attempt.
	Retry
	// Defer: the URL was not requested, and is leased again at Outcome.NotBefore without
	// counting an attempt. For example, robots.txt is unreachable, or the request slot was
	// used for robots.txt.
	Defer
	// Drop: the URL must never be fetched.
	Drop
)

var resultNames = [...]string{Done: "done", Retry: "retry", Defer: "defer", Drop: "drop"}

// String returns the result in lower case.
func (r Result) String() string {
	if r.Valid() {
		return resultNames[r]
	}
	return "Result(" + strconv.Itoa(int(r)) + ")"
}

// Valid reports whether r is one of the results above.
func (r Result) Valid() bool { return r >= Done && r <= Drop }

// An Outcome ends a lease.
type Outcome struct {
	Lease  LeaseID
	Result Result
	// NotBefore is the earliest next lease after Retry and Defer. Zero means as soon as the host is
	// due. After Done it is the time to fetch the URL again. Zero means never. It does not delay
	// other URLs of the host. The URL keeps its priority.
	NotBefore time.Time
	// Links are URLs to be added, like those of Add.
	Links []Item
	// Validators are stored for the next lease of the URL. If nil, those of the lease stay.
	Validators *Validators
	// HostDelay, if positive, says that a request was made, and is the time until the next
	// request to the host. HostRecord.Delay applies if it is longer. The delay runs from
	// this call if the host allows one request at a time, else from the start of the lease.
	// It never shortens the delay of an earlier outcome.
	//
	// If HostDelay is zero or negative, no request was made. The host's due time does
	// not change, and the host may be leased again at once. Pass time.Nanosecond for a request
	// that needs no delay of its own.
	HostDelay time.Duration
}

// CheckFinish is for stores. It returns the hosts of the links of each outcome, and
// ErrInvalid for each invalid outcome. The error err is ErrInvalid for a note that is too
// long.
func CheckFinish(outcomes []Outcome, note []byte) (hosts [][]Host, errs []error, err error) {
	if len(note) > MaxNote {
		return nil, nil, fmt.Errorf("%w: a note of %d bytes", ErrInvalid, len(note))
	}
	hosts, errs = make([][]Host, len(outcomes)), make([]error, len(outcomes))
	for i := range outcomes {
		if o := &outcomes[i]; !o.Result.Valid() {
			errs[i] = fmt.Errorf("%w: %v", ErrInvalid, o.Result)
		} else {
			hosts[i], errs[i] = HostsOf(o.Links)
		}
	}
	return hosts, errs, nil
}

// Validators make a later fetch of the same URL conditional, or are compared with its
// response. A store does not interpret them.
type Validators struct {
	ETag         string // as sent, with quotes and W/
	LastModified string // as sent
	BodyHash     []byte // hash chosen by the caller
}

// Clone returns a deep copy of v, or nil if v is nil.
func (v *Validators) Clone() *Validators {
	if v == nil {
		return nil
	}
	c := *v
	c.BodyHash = bytes.Clone(v.BodyHash)
	return &c
}
