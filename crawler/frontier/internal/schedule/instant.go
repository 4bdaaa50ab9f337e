package schedule

import (
	"math"
	"time"
)

// An Instant is the time since a Schedule was created, on the monotonic clock.
type Instant = time.Duration

const (
	// Never is after all other Instants.
	Never Instant = math.MaxInt64

	latest = Never - 1 // centuries ahead; also used for later times
)

// Later returns t + d, limited to the largest Instant before Never.
func Later(t Instant, d time.Duration) Instant {
	if d > latest-t {
		return latest
	}
	return t + d
}

// Instant converts t to an Instant; a zero t to 0. Later changes of the wall clock do not change
// the result.
func (s *Schedule[H, E]) Instant(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	// The wall clock is read first, so that a pause between the two makes the wait longer,
	// never shorter.
	d := t.Sub(s.Wall())
	return Later(time.Since(s.base), d)
}

// Time is the inverse of Instant.
func (s *Schedule[H, E]) Time(i, now Instant) time.Time { return s.Wall().Add(i - now) }

// Ahead is Time for future instants, and zero for others.
func (s *Schedule[H, E]) Ahead(i, now Instant) time.Time {
	if i <= now {
		return time.Time{}
	}
	return s.Time(i, now)
}
