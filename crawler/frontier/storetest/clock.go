package storetest

import (
	"sync"
	"testing"
	"time"
)

// A Clock is a wall clock that can be set back. Its times have no monotonic clock reading. The
// zero Clock shows the current time.
type Clock struct {
	mu   sync.Mutex
	back time.Duration
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Add(-c.back)
}

// SetBack sets the clock back. It can be used as Store.SetClockBack.
func (c *Clock) SetBack(_ testing.TB, back time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back += back
}
