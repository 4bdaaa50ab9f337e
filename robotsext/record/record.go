// Package record has what a crawler knows about the robots.txt of an origin: a [Record] with the
// rules, or with the reason why there are none, the [Cache] that keeps it, and the options for
// fetching it. Package robotsext makes records and has the same types under the same names.
package record

import (
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Outcome is the result of fetching robots.txt.
type Outcome uint8

// The outcomes.
const (
	OutcomeRules       Outcome = iota + 1 // robots.txt was fetched and parsed
	OutcomeAllowAll                       // there is no robots.txt
	OutcomeUnreachable                    // the rules are unknown, so nothing may be fetched for now
)

var outcomeNames = [...]string{"unknown", OutcomeRules: "rules", OutcomeAllowAll: "allow-all", OutcomeUnreachable: "unreachable"}

func (o Outcome) String() string {
	if int(o) >= len(outcomeNames) {
		o = 0
	}
	return outcomeNames[o]
}

// MaxRedirects limits the redirects of one robots.txt in a row (ROB-FET-05).
const MaxRedirects = 5

// Errors that [Record.RedirectError] returns.
var (
	ErrRedirectLoop     = errors.New("redirect loop")
	ErrTooManyRedirects = fmt.Errorf("more than %d redirects", MaxRedirects)
)

// Record is the stored result of fetching one robots.txt or tdmrep.json. Callers must not change it.
type Record struct {
	Origin        Origin
	Outcome       Outcome
	Status        int             // of the last response; 0 if there was none
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
	FailingSince time.Time     // time of the first failed fetch; zero if there is no outage
	RetryAt      time.Time     // next fetch
	Failures     int           // failed fetches in a row
	Outage       time.Duration // duration of the outage; a gap between two fetches counts at most a day
	Copy         *Record       // the last complete file; nil if none
	CopyLost     bool          // a copy may have existed and been lost

	// A record of tdmrep.json has no File, but these:
	TDMRep    *usage.TDMRep // nil if the file states nothing
	TDMRepErr error         // why Body cannot be used: it is invalid or too large
}

// TDMRepProblem says why the tdmrep.json of a record from Options.OnTDMRep states nothing, such as
// "unreachable: status 503", "invalid: not a JSON array", "larger than 262144 bytes" or "disallowed
// by robots.txt". It returns "" if the file was read, or the site has none.
func (rec *Record) TDMRepProblem() string {
	rec = rec.InForce()
	switch {
	case rec.TDMRepErr != nil:
		return rec.TDMRepErr.Error()
	case rec.Outcome == OutcomeUnreachable, rec.Outcome == OutcomeAllowAll && !rec.FailingSince.IsZero():
		return fmt.Sprintf("unreachable: %v", rec.Err)
	case rec.Outcome == OutcomeAllowAll && rec.Err != nil: // robots.txt disallows it
		return rec.Err.Error()
	}
	return ""
}

// InForce returns the record of a tdmrep.json that applies: while the file is unreachable, that of
// its last copy.
func (rec *Record) InForce() *Record {
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
	case len(rec.RedirectChain) > MaxRedirects:
		return ErrTooManyRedirects
	}
	return ErrRedirectLoop
}
