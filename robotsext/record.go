package robotsext

import (
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Record is the stored result of fetching one robots.txt or tdmrep.json. Callers must not change it.
type Record struct {
	Origin        Origin
	Outcome       Outcome
	Status        int             // of the last response; 0: there was none
	Err           error           // why the last fetch failed
	File          *robotstxt.File // nil unless Outcome is OutcomeRules
	Body          []byte          // the decoded text of File
	Hash          string          // SHA-256 of Body, in hexadecimal; empty if File is nil
	Truncated     bool            // Body was cut at the size limit
	RedirectChain []string        // URLs of the last fetch: robots.txt and redirect targets
	FetchedAt     time.Time       // end of the last fetch
	ExpiresAt     time.Time       // after it, the next use fetches robots.txt again
	NoStore       bool            // the site forbids writing Body to disk

	// During an outage:
	FailingSince time.Time     // time of the first failed fetch; zero: no outage
	RetryAt      time.Time     // next fetch
	Failures     int           // failed fetches in a row
	Outage       time.Duration // duration of the outage; a gap between two fetches counts at most a day
	Copy         *Record       // the last complete file; nil: none
	CopyLost     bool          // a copy may have existed and been lost

	tdmrep tdmrepText // of a record of tdmrep.json, which has no File
}

// tdmrepText is what a tdmrep.json says.
type tdmrepText struct {
	file    *usage.TDMRep // nil: it states nothing
	problem error         // of a text that is invalid or too large
}

// TDMRepProblem says why the tdmrep.json of a record from Options.OnTDMRep states nothing, such as
// "unreachable: status 503", "invalid: not a JSON array", "larger than 262144 bytes" or "disallowed
// by robots.txt". Empty: it has been read, or the site has none.
func (rec *Record) TDMRepProblem() string {
	rec = rec.inForce()
	switch {
	case rec.tdmrep.problem != nil:
		return rec.tdmrep.problem.Error()
	case rec.Outcome == OutcomeUnreachable, rec.Outcome == OutcomeAllowAll && !rec.FailingSince.IsZero():
		return fmt.Sprintf("unreachable: %v", rec.Err)
	case errors.Is(rec.Err, errDisallowed):
		return rec.Err.Error()
	}
	return ""
}

// inForce returns the record of a tdmrep.json that applies: while the file is unreachable, that of
// its last copy.
func (rec *Record) inForce() *Record {
	if rec.Outcome == OutcomeUnreachable && rec.Copy != nil {
		return rec.Copy
	}
	return rec
}

// RedirectError returns ErrRedirectLoop, ErrTooManyRedirects or nil.
func (rec *Record) RedirectError() error {
	switch {
	case rec.Outcome != OutcomeAllowAll || !rec.FailingSince.IsZero() || rec.Status < 300 || rec.Status > 399:
		return nil
	case len(rec.RedirectChain) > maxRedirects:
		return ErrTooManyRedirects
	}
	return ErrRedirectLoop
}

// due reports whether the record must be fetched again before it is used. A time in the
// future means that the clock was set back, so the record cannot be trusted.
func (rec *Record) due(now time.Time) bool {
	return !now.Before(rec.ExpiresAt) || rec.FetchedAt.After(now.Add(time.Minute))
}

// fresh reports whether the record is not due and not of an outage, so that it stays in
// use after a failed refresh (ROB-STA-06).
func (rec *Record) fresh(now time.Time) bool {
	return rec != nil && rec.FailingSince.IsZero() && !rec.due(now)
}

// withRetryAfter returns the record after a failed refresh whose response had a
// Retry-After of wait. The next fetch is not before that (ROB-POL-04).
func (rec *Record) withRetryAfter(wait time.Duration, now time.Time) *Record {
	if wait == 0 {
		return rec
	}
	updated := *rec
	updated.RetryAt = now.Add(wait)
	return &updated
}

// isPlaceholder reports whether the record replaces one that could not be stored or was
// invalid. It says only that there was a record.
func (rec *Record) isPlaceholder() bool {
	return rec.Outcome == OutcomeUnreachable && rec.FailingSince.IsZero()
}

// lastGood returns the copy for an outage that starts after this record. If the file did
// not exist, there is no copy, not even an older one (ROB-STA-07, ROB-STA-08).
func (rec *Record) lastGood() (c *Record, lost bool) {
	switch {
	case rec == nil:
		return nil, false
	case !rec.FailingSince.IsZero() || rec.CopyLost:
		return rec.Copy, rec.CopyLost
	case rec.Outcome == OutcomeRules:
		return rec, false
	}
	return nil, false
}
