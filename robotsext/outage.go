package robotsext

import "time"

// OutageProfile is the meaning of a long outage of robots.txt (table LAD).
type OutageProfile uint8

// The four profiles.
const (
	RFC9309    OutageProfile = iota // after 30 days the last copy holds; all is allowed if there was none
	Google                          // that after 12 h; 30 days later Options.Outage.Available decides
	Google2019                      // as RFC9309
	Pre2019                         // disallow without end
)

const (
	shortOutage = 12 * time.Hour
	longOutage  = 30 * 24 * time.Hour
)

// fallback is what an outage may fall back on.
type fallback uint8

const (
	noCopy   fallback = iota // there never was a file, or its absence was learnt since
	hasCopy                  // the last good version is at hand
	lostCopy                 // there may have been one, nobody knows (ROB-CAC-17)
)

// outcome is table LAD: what holds when the outage has lasted for e. Rules
// stands for the copy. available is asked only where the table depends on it.
func (p OutageProfile) outcome(e time.Duration, copied fallback, available func() bool) Outcome {
	byCopy := func() Outcome {
		switch copied {
		case hasCopy:
			return Rules
		case noCopy:
			return AllowAll
		}
		return Unreachable
	}
	switch p {
	case Google:
		switch {
		case e < shortOutage:
			return Unreachable
		case e < shortOutage+longOutage:
			return byCopy()
		case copied != lostCopy && available():
			return AllowAll
		}
		return Unreachable
	case Pre2019:
		return Unreachable
	}
	if e > longOutage {
		return byCopy()
	}
	return Unreachable
}

// max503Backoff caps the back-off after a 503, by which a site suspends crawling
// for a while: it is asked more often than one that is broken (ROB-STA-03).
const max503Backoff = 10 * time.Minute

// backoff is the least and the most time between two fetches after a failure.
type backoff struct{ min, max time.Duration }

// after returns the time from the n-th failure in a row to the next fetch: doubling
// from the least to the most, which is never more than a day (ROB-CAC-13).
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
