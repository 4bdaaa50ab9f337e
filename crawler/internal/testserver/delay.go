package testserver

import (
	"fmt"
	"time"
)

// A DelayChecker checks the delays between the requests to one host. Give it the requests one
// by one, in the order of their starts.
// The zero value is ready to use.
type DelayChecker struct {
	last  Request // the request that ended last
	waits Request // the request with the latest end of Retry-After
}

// Check returns the violations of a request: [Overlap], [TooSoon] or [BeforeRetryAfter]. The
// delay is the required time from the end of one request to the start of the next.
func (c *DelayChecker) Check(r Request, delay time.Duration) []Finding {
	var found []Finding
	if c.waits.Number != 0 && r.Start.Before(due(c.waits)) {
		found = append(found, Finding{BeforeRetryAfter, r, c.waits,
			fmt.Sprintf("%v after it, Retry-After was %v", r.Start.Sub(c.waits.End), c.waits.RetryAfter)})
	}
	if c.last.Number == 0 {
		return found
	}
	gap := r.Start.Sub(c.last.End)
	switch {
	case c.last.End.IsZero() || gap < 0:
		found = append(found, Finding{Overlap, r, c.last, ""})
	case gap < delay:
		found = append(found, Finding{TooSoon, r, c.last, fmt.Sprintf("%v instead of %v", gap, delay)})
	}
	return found
}

// Add records a request. Later requests are compared with it.
func (c *DelayChecker) Add(r Request) {
	if c.last.Number == 0 || endsAfter(r, c.last) {
		c.last = r
	}
	if r.RetryAfter > 0 && (c.waits.Number == 0 || due(r).After(due(c.waits))) {
		c.waits = r
	}
}

// endsAfter reports whether a ended after b. A request without an end ends last.
func endsAfter(a, b Request) bool {
	return a.End.IsZero() || !b.End.IsZero() && a.End.After(b.End)
}

// due returns the end of the Retry-After in the response to r.
func due(r Request) time.Time { return r.End.Add(r.RetryAfter) }
