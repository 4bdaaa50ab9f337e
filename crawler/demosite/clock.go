package demosite

import (
	"fmt"
	"time"
)

// A DelayChecker judges the pace of the requests to one host. It is given them one by one, in
// the order in which they began or in that in which they ended; which of the two makes no
// difference where there is nothing to find. The zero Clock has seen none.
type DelayChecker struct {
	last  Request // of the requests so far, the one that ended last
	waits Request // the one whose Retry-After reaches furthest
}

// Observe is Judge and then Take.
func (c *DelayChecker) Observe(r Request, least time.Duration) []Violation {
	found := c.Check(r, least)
	c.Add(r)
	return found
}

// Check returns what is wrong with the moment at which r began, where least is the time
// that belongs between the end of a request and the start of the next.
func (c *DelayChecker) Check(r Request, least time.Duration) []Violation {
	var found []Violation
	if c.waits.Number != 0 && r.Start.Before(due(c.waits)) {
		found = append(found, Violation{BeforeRetryAfter, r, c.waits,
			fmt.Sprintf("%v after it, Retry-After was %v", r.Start.Sub(c.waits.End), c.waits.RetryAfter)})
	}
	if c.last.Number == 0 {
		return found
	}
	gap := r.Start.Sub(c.last.End)
	switch {
	case c.last.End.IsZero() || gap < 0:
		found = append(found, Violation{Overlap, r, c.last, ""})
	case gap < least:
		found = append(found, Violation{TooSoon, r, c.last, fmt.Sprintf("%v instead of %v", gap, least)})
	}
	return found
}

// Add has later requests judged by r too.
func (c *DelayChecker) Add(r Request) {
	if c.last.Number == 0 || endsAfter(r, c.last) {
		c.last = r
	}
	if r.RetryAfter > 0 && (c.waits.Number == 0 || due(r).After(due(c.waits))) {
		c.waits = r
	}
}

// endsAfter reports whether a ended after b; one that is being answered ends
// after all others.
func endsAfter(a, b Request) bool {
	return a.End.IsZero() || !b.End.IsZero() && a.End.After(b.End)
}

// due is the time before which the host of r did not want to be asked.
func due(r Request) time.Time { return r.End.Add(r.RetryAfter) }
