// Package blocked finds refusals of the address guard in errors and records.
package blocked

import (
	"errors"
	"net/netip"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Text returns the text of the guard's error, without the errors that wrap it.
func Text(err error) string {
	said := err
	if e, ok := errors.AsType[*guard.AddressError](err); ok {
		said = e
	} else if e, ok := errors.AsType[*guard.HostError](err); ok {
		said = e
	}
	return said.Error()
}

// Addr returns the address that the guard refused, if it refused one.
func Addr(err error) netip.Addr {
	if e, ok := errors.AsType[*guard.AddressError](err); ok {
		return e.Addr
	}
	return netip.Addr{}
}

// IsRefused reports whether a robots.txt was not read because of its address.
func IsRefused(rec *robotsext.Record) bool {
	return rec.Outcome == robotsext.OutcomeUnreachable && errors.Is(rec.Err, guard.ErrRefused)
}

// IsUnrequested reports whether a robots.txt was not even requested because of its address. If a
// redirect led to that address, it was.
func IsUnrequested(rec *robotsext.Record) bool { return IsRefused(rec) && len(rec.RedirectChain) < 2 }

// IsOutage reports whether a robots.txt could not be read now but may be later. One at an
// address that the guard refuses may not.
func IsOutage(rec *robotsext.Record) bool {
	return rec != nil && rec.Outcome == robotsext.OutcomeUnreachable && !IsRefused(rec)
}

// ForOutput returns a record as it is written to files. A refusal by the guard is not an outage,
// since nothing waits for it.
func ForOutput(rec *robotsext.Record) *robotsext.Record {
	printed := *rec
	printed.Err = secret.RedactError(rec.Err)
	if IsRefused(rec) {
		printed.Err = errors.New(Text(rec.Err))
		printed.FailingSince, printed.RetryAt, printed.Failures, printed.Outage = time.Time{}, time.Time{}, 0, 0
	}
	return &printed
}
