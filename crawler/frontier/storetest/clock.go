package storetest

import (
	"sync"
	"testing"
	"time"
)

// A Clock is the clock of a machine, which can be set. That has nothing to do with how time
// passes, so what it shows has no monotonic part. The zero Clock shows the time.
type Clock struct {
	mu   sync.Mutex
	back time.Duration
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Add(-c.back)
}

// SetBack sets the clock back, for Store.SetClockBack.
func (c *Clock) SetBack(_ testing.TB, back time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back += back
}
