package quota

import "sync"

// Concurrent limits what is in use at the same time, by a key such as an IP address. It is safe for
// concurrent use.
type Concurrent[K comparable] struct {
	limit int

	mu   sync.Mutex // guards used
	used map[K]int  // above zero
}

// NewConcurrent returns a limit for each key.
func NewConcurrent[K comparable](limit int) *Concurrent[K] {
	return &Concurrent[K]{limit: limit, used: make(map[K]int)}
}

// Acquire adds a use of a key until release, unless the limit is reached.
func (c *Concurrent[K]) Acquire(key K) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used[key] >= c.limit {
		return nil, false
	}
	c.used[key]++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.used[key]--; c.used[key] == 0 {
			delete(c.used, key)
		}
	}), true
}
