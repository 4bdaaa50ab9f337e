package frontier

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// A Result says what becomes of a URL whose lease ends. The zero Result is
// not valid.
type Result uint8

const (
	// Done: the URL was fetched. It comes again only when Outcome.NotBefore
	// says when.
	Done Result = iota + 1
	// Retry: the fetch failed and is worth another attempt, at
	// Outcome.NotBefore; this one counts. How many there may be is for the
	// caller to say, by Lease.Attempt.
	Retry
	// Defer: the URL was not tried, and goes back to Outcome.NotBefore
	// without counting an attempt. So it is when robots.txt cannot be had for
	// now, or when the turn of the host was spent on robots.txt.
	Defer
	// Drop: the URL is never to be fetched.
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
	// NotBefore is when the URL may be leased again after Retry and Defer;
	// zero: as soon as its host is due. After Done it is when to fetch the
	// URL again; zero: never. While it lies ahead the other URLs of the host
	// go on. The URL keeps its priority.
	NotBefore time.Time
	// Links are URLs found, to be added as by Add.
	Links []Item
	// Validators are kept for the next lease of the URL. Nil: those that the
	// lease came with stay.
	Validators *Validators
	// HostDelay above zero says that a request was made, and asks for that
	// much time before the next one to the host. What is kept is the longer
	// of it and HostRecord.Delay; it is counted from this call where the host
	// allows one request at a time, and from the start of this lease where
	// HostRecord.MaxInFlight is more (ROB-POL-02). It never brings forward
	// what an earlier outcome has asked for.
	//
	// Zero or less says that no request was made: the host's clock is left
	// as it was, and the host may be leased again at once. A caller whose
	// request asks for no delay of its own passes time.Nanosecond.
	HostDelay time.Duration
}

// CheckFinish is for stores. It returns the hosts of the links of each outcome, and an
// ErrInvalid for each outcome that no store can take. The error is ErrInvalid for a note
// that is too long.
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

// Validators are what a later fetch of the same URL can be conditional on, or
// compared with. A store does not look at them.
type Validators struct {
	ETag         string // as sent, with quotes and W/
	LastModified string // as sent
	BodyHash     []byte // by the caller's own choice of hash
}

// Clone returns a copy of v that shares no memory with it; nil for nil.
func (v *Validators) Clone() *Validators {
	if v == nil {
		return nil
	}
	c := *v
	c.BodyHash = bytes.Clone(v.BodyHash)
	return &c
}
