package robotsext

import "time"

// OutageProfile decides what applies during a long outage of robots.txt.
type OutageProfile uint8

// The profiles.
const (
	ProfileRFC9309    OutageProfile = iota // up to 30 days: nothing is allowed; then: the last copy applies, or everything is allowed if there was none
	ProfileGoogle                          // up to 12 h: nothing is allowed; then up to 30 days more: the last copy, or everything if there was none; then: everything if OutageOptions.Available returns true, else nothing
	ProfileGoogle2019                      // same as ProfileRFC9309
	ProfilePre2019                         // nothing is allowed, however long the outage lasts
)

const (
	shortOutage = 12 * time.Hour
	longOutage  = 30 * 24 * time.Hour
)

// fallback says whether a copy of an earlier file exists.
type fallback uint8

const (
	noCopy   fallback = iota // there was no file
	hasCopy                  // the last good version is stored
	lostCopy                 // a copy may have existed and was lost (ROB-CAC-17)
)

// outcome implements table LAD of the specification for an outage of length e. Rules
// means the copy. It calls available only if the table depends on it.
func (p OutageProfile) outcome(e time.Duration, copied fallback, available func() bool) Outcome {
	byCopy := func() Outcome {
		switch copied {
		case hasCopy:
			return OutcomeRules
		case noCopy:
			return OutcomeAllowAll
		}
		return OutcomeUnreachable
	}
	switch p {
	case ProfileGoogle:
		switch {
		case e < shortOutage:
			return OutcomeUnreachable
		case e < shortOutage+longOutage:
			return byCopy()
		case copied != lostCopy && available():
			return OutcomeAllowAll
		}
		return OutcomeUnreachable
	case ProfilePre2019:
		return OutcomeUnreachable
	}
	if e > longOutage {
		return byCopy()
	}
	return OutcomeUnreachable
}

// max503Backoff limits the backoff after a 503, with which sites suspend crawling for
// a while (ROB-STA-03).
const max503Backoff = 10 * time.Minute

// backoff is the minimum and maximum time between two fetches after failures.
type backoff struct{ min, max time.Duration }

// after returns the time from the n-th failure in a row to the next fetch. It doubles
// from min to max, which is at most a day (ROB-CAC-13).
func (b backoff) after(n, status int) time.Duration {
	most := min(b.max, maxRetryAfter)
	if status == 503 {
		most = min(most, max(max503Backoff, b.min))
	}
	d := b.min
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
