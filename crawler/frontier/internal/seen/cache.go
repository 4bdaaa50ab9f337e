package seen

import "math/bits"

// A Cache holds as many hashes as it has room for, and forgets others: those
// asked for least lately among the few that share a place. What it says is in
// it was added; what it says is not may have been.
type Cache struct {
	buckets []bucket
	zero    bool // 0 was added, which is an empty place in a bucket
}

// A bucket is a line of a processor's cache, the hash asked for last in front.
type bucket [8]uint64

// NewCache returns a cache that takes that many bytes.
func NewCache(bytes int) *Cache {
	return &Cache{buckets: make([]bucket, max(bytes/64, 1))}
}

// Has reports whether h is in the cache.
func (c *Cache) Has(h uint64) bool {
	if h == 0 {
		return c.zero
	}
	b := c.bucket(h)
	for i, k := range b {
		if k == h {
			copy(b[1:], b[:i])
			b[0] = h
			return true
		}
	}
	return false
}

// Add puts h into the cache.
func (c *Cache) Add(h uint64) {
	if h == 0 {
		c.zero = true
		return
	}
	if b := c.bucket(h); !c.Has(h) {
		copy(b[1:], b[:])
		b[0] = h
	}
}

func (c *Cache) bucket(h uint64) *bucket {
	i, _ := bits.Mul64(h, uint64(len(c.buckets)))
	return &c.buckets[i]
}
