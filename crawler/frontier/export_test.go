package frontier

import "time"

// NewMemoryAt returns a Memory that compares the times it is given with wall,
// so that a test can set that clock.
func NewMemoryAt(wall func() time.Time) *Memory {
	m := NewMemory(nil)
	m.sched.Wall = wall
	return m
}
