package frontier

import "time"

// NewMemoryAt returns a Memory with another wall clock.
func NewMemoryAt(wall func() time.Time) *Memory {
	m := NewMemory(nil)
	m.sched.Wall = wall
	return m
}
