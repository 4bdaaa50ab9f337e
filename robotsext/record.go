package robotsext

import (
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Record is what is known of the robots.txt of one origin (ROB-STA-11). It is
// shared between callers and must not be changed.
type Record struct {
	Origin  Origin
	Outcome Outcome

	// Status is the status of the last answer in the last fetch, 0 if there was
	// none. Err is why that fetch did not come to a conclusion, else nil.
	Status int
	Err    error

	// File is the parsed file; nil unless Outcome is Rules. It knows every
	// group, so one record serves crawlers of any name (ROB-CAC-11).
	File *robotstxt.File
	// Body is the text File was parsed from, decoded and cut at the size limit.
	Body []byte
	// Truncated tells that the site's file goes on behind Body.
	Truncated bool

	// Chain holds the URLs requested by the last fetch, first to last: more
	// than one when there were redirects.
	Chain []string

	FetchedAt time.Time // end of the last fetch
	ExpiresAt time.Time // until when the record is used without a new fetch

	// FailingSince is the time of the first fetch in a row that came to no
	// conclusion; zero when the last one did. During such an outage RetryAt is
	// the time of the next fetch (before one it is set if a refresh was answered
	// with Retry-After), Failures the number of fetches so far, and Outage how long it has lasted, where a gap between two fetches counts at
	// most a day: time in which nobody looked is not an outage (ROB-STA-05).
	FailingSince time.Time
	RetryAt      time.Time
	Failures     int
	Outage       time.Duration

	// Copy is the last good version, kept during an outage; nil if there is
	// none. CopyLost tells that there may have been one which is gone, so that
	// its absence allows nothing (ROB-CAC-17).
	Copy     *Copy
	CopyLost bool

	// NoStore tells that the site asked for Body not to be written to disk
	// (ROB-CAC-06).
	NoStore bool
}

// Copy is the last version of a robots.txt that was read whole (ROB-STA-07).
type Copy struct {
	File      *robotstxt.File
	Body      []byte
	Truncated bool
	FetchedAt time.Time
	NoStore   bool
}

// The ways in which redirects can lead nowhere.
var (
	ErrRedirectLoop     = errors.New("redirects in a loop")
	ErrTooManyRedirects = fmt.Errorf("more than %d redirects", maxRedirects)
)

// RedirectError tells, where redirects led nowhere and so count as a robots.txt that
// is not there (ROB-FET-05, ROB-FET-07), in which way; else it is nil. Outcome is
// AllowAll then, and Status that of the last redirect. It is a fault that its owner
// will want to know of: what the file was to forbid is not forbidden.
func (rec *Record) RedirectError() error {
	switch {
	case rec.Outcome != AllowAll || !rec.FailingSince.IsZero() || rec.Status < 300 || rec.Status > 399:
		return nil
	case len(rec.Chain) > maxRedirects:
		return ErrTooManyRedirects
	}
	return ErrRedirectLoop
}

// due reports whether the record has to be fetched again before it is used. A
// record from the future comes of a clock that was set back: it proves nothing.
func (rec *Record) due(now time.Time) bool {
	return !now.Before(rec.ExpiresAt) || rec.FetchedAt.After(now.Add(time.Minute))
}

// fresh reports whether the record is a conclusion that is not due: what a failed
// refresh does not change (ROB-STA-06).
func (rec *Record) fresh(now time.Time) bool {
	return rec != nil && rec.FailingSince.IsZero() && !rec.due(now)
}

// refreshFailed is the record after a failed refresh, whose answer asks by
// Retry-After to be left alone for wait: the same, but not asked for before
// (ROB-POL-04).
func (rec *Record) refreshFailed(wait time.Duration, now time.Time) *Record {
	if wait == 0 {
		return rec
	}
	held := *rec
	held.RetryAt = now.Add(wait)
	return &held
}

// blank reports whether the record stands for one that could not be stored or
// believed: it knows no more than that there was something.
func (rec *Record) blank() bool {
	return rec.Outcome == Unreachable && rec.FailingSince.IsZero()
}

// lastGood is the copy that an outage starting after this record may fall back
// on. A remembered absence of the file is not a copy, and drops the one before
// it (ROB-STA-07, ROB-STA-08).
func (rec *Record) lastGood() (c *Copy, lost bool) {
	switch {
	case rec == nil:
		return nil, false
	case !rec.FailingSince.IsZero() || rec.CopyLost:
		return rec.Copy, rec.CopyLost
	case rec.Outcome == Rules:
		return &Copy{File: rec.File, Body: rec.Body, Truncated: rec.Truncated, FetchedAt: rec.FetchedAt, NoStore: rec.NoStore}, false
	}
	return nil, false
}
