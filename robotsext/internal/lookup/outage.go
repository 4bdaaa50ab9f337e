package lookup

import (
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
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

// outcome implements table LAD of the specification for profile p and an outage of length e. Rules
// means the copy. It calls available only if the table depends on it.
func outcome(p record.OutageProfile, e time.Duration, copied fallback, available func() bool) record.Outcome {
	byCopy := func() record.Outcome {
		switch copied {
		case hasCopy:
			return record.OutcomeRules
		case noCopy:
			return record.OutcomeAllowAll
		}
		return record.OutcomeUnreachable
	}
	switch p {
	case record.ProfileGoogle:
		switch {
		case e < shortOutage:
			return record.OutcomeUnreachable
		case e < shortOutage+longOutage:
			return byCopy()
		case copied != lostCopy && available():
			return record.OutcomeAllowAll
		}
		return record.OutcomeUnreachable
	case record.ProfilePre2019:
		return record.OutcomeUnreachable
	}
	if e > longOutage {
		return byCopy()
	}
	return record.OutcomeUnreachable
}

// max503Backoff limits the backoff after a 503, with which sites suspend crawling for
// a while (ROB-STA-03).
const max503Backoff = 10 * time.Minute

// Backoff is the minimum and maximum time between two fetches after failures.
type Backoff struct{ Min, Max time.Duration }

// After returns the time from the n-th failure in a row to the next fetch. It doubles
// from Min to Max, which is at most a day (ROB-CAC-13).
func (b Backoff) After(n, status int) time.Duration {
	most := min(b.Max, maxRetryAfter)
	if status == 503 {
		most = min(most, max(max503Backoff, b.Min))
	}
	d := b.Min
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
