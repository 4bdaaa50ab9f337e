package schedule

import (
	"math"
	"time"
)

// An Instant is a point on the clock of a Schedule, which began to run when it
// was made and knows no changes of the wall clock.
type Instant = time.Duration

const (
	// Never is after every Instant that can come.
	Never Instant = math.MaxInt64

	latest = Never - 1 // centuries ahead; whatever is later is then
)

// Later returns t + d, which may be more than an Instant can say.
func Later(t Instant, d time.Duration) Instant {
	if d > latest-t {
		return latest
	}
	return t + d
}

// Instant returns the Instant that t names, 0 when t is zero. It is fixed from
// here on, whatever becomes of the wall clock.
func (s *Schedule[H, E]) Instant(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	// The wall clock is read first: what happens between the two makes a
	// wait longer, and never shorter.
	d := t.Sub(s.Wall())
	return Later(time.Since(s.base), d)
}

// Time is the reverse of Instant.
func (s *Schedule[H, E]) Time(i, now Instant) time.Time { return s.Wall().Add(i - now) }

// Ahead is Time for what lies ahead, and zero for what has passed.
func (s *Schedule[H, E]) Ahead(i, now Instant) time.Time {
	if i <= now {
		return time.Time{}
	}
	return s.Time(i, now)
}
