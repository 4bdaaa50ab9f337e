package seen

import "math/bits"

// A Cache is a set of hashes of limited size. A full bucket drops its least recently used hash. So
// Has may return false for a hash that was added, but never true for another one.
type Cache struct {
	buckets []bucket
	zero    bool // 0 was added; in a bucket 0 is an empty slot
}

// A bucket fills a cache line of the CPU. The most recently used hash comes first.
type bucket [8]uint64

// NewCache returns a cache of that many bytes.
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

// Add adds h to the cache.
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
