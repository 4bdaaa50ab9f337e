package seen

import (
	"math/rand/v2"
	"testing"
)

func TestCache(t *testing.T) {
	const room = 1000 * 8
	c := NewCache(8 * room)
	rng := rand.New(rand.NewPCG(7, 8))
	added := make(map[uint64]bool)
	for _, h := range []uint64{0, 1, 1<<64 - 1} {
		if c.Has(h) {
			t.Fatalf("%#x is in an empty cache", h)
		}
		c.Add(h)
		if !c.Has(h) {
			t.Fatalf("%#x is lost at once", h)
		}
		added[h] = true
	}
	for range 3 * room {
		h := rng.Uint64()
		c.Add(h)
		if added[h] = true; !c.Has(h) {
			t.Fatalf("%#x is lost at once", h)
		}
	}
	kept := 0
	for h := range added {
		if c.Has(h) {
			kept++
		}
	}
	if kept < room*9/10 || kept > room+1 {
		t.Errorf("%d of %d are kept, want about %d", kept, len(added), room)
	}
	for range room {
		if h := rng.Uint64(); c.Has(h) != added[h] && !added[h] {
			t.Fatalf("%#x was never added", h)
		}
	}
}

// TestCacheKeepsRecentlyUsed adds hashes to one bucket: recently used ones stay.
func TestCacheKeepsRecentlyUsed(t *testing.T) {
	c := NewCache(64)
	for h := uint64(1); h <= 100; h++ {
		c.Add(h)
		if !c.Has(1) {
			t.Fatalf("1 is lost when %d is added", h)
		}
		if h > 8 && c.Has(h-8) && h-8 != 1 {
			t.Fatalf("%d is kept when %d is added", h-8, h)
		}
	}
}
