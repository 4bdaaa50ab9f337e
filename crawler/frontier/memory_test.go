package frontier_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

// A wallClock can be set. Like that of a machine it has nothing to do with how
// time passes, so what it shows has no monotonic part.
type wallClock struct {
	mu   sync.Mutex
	back time.Duration
}

func (c *wallClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Add(-c.back)
}

func (c *wallClock) step(_ testing.TB, back time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back += back
}

func TestMemory(t *testing.T) {
	var clock wallClock
	storetest.Run(t, storetest.Store{
		Open:      func(string) (frontier.Frontier, error) { return frontier.NewMemoryAt(clock.now), nil },
		Bubble:    synctest.Test,
		StepClock: clock.step,
		URLBytes:  30,
		HostBytes: 500,
	})
}
