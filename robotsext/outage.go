package robotsext

import "time"

// OutageProfile says what a long outage of robots.txt comes to mean: one column
// of table LAD. All profiles disallow for the first twelve hours, and none ever
// allows anything because a copy was lost.
type OutageProfile uint8

const (
	// RFC9309 is the default. It disallows for 30 days; then the last good version
	// holds, or everything is allowed if there never was one (RFC 9309 2.3.1.4).
	RFC9309 OutageProfile = iota
	// Google is what Google documents today: after 12 hours the last good
	// version holds for 30 days, or everything is allowed if there never was
	// one; then everything is allowed if the site is otherwise available
	// (Options.Outage.Available), and disallowed if not. It allows where RFC 9309 still
	// says MUST disallow.
	Google
	// Google2019 is Google's edition of July 2019. It agrees with RFC9309.
	Google2019
	// Pre2019 is the editions before: disallow without end.
	Pre2019
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
