package seen

import (
	"math/rand/v2"
	"testing"
)

func TestSet(t *testing.T) {
	var s Set
	if s.Has(1) {
		t.Fatal("the zero Set is not empty")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := make(map[uint64]bool)
	add := func(h uint64) {
		t.Helper()
		if got := s.Add(h); got == want[h] {
			t.Fatalf("Add(%#x) = %v, known before: %v", h, got, want[h])
		}
		want[h] = true
	}
	// The value of an empty slot, and both ends of a table and of the shards.
	for _, h := range []uint64{0, 1, 1<<56 - 1, 1 << 56, 1<<64 - 1, 1<<64 - 2, 0, 1<<64 - 1} {
		add(h)
	}
	for range 10_000 {
		add(rng.Uint64())
		add(rng.Uint64N(300)) // all in one shard, for the same slot
	}
	for h := range want {
		if !s.Has(h) || s.Add(h) {
			t.Fatalf("%#x is lost", h)
		}
	}
	for range 10_000 {
		if h := rng.Uint64(); s.Has(h) != want[h] {
			t.Fatalf("Has(%#x) = %v", h, !want[h])
		}
	}
}

func TestMark(t *testing.T) {
	var s Set
	rng := rand.New(rand.NewPCG(7, 8))
	want := map[uint64]Mark{0: 0, 1: 0, 1<<56 - 1: 0, 1<<64 - 1: 0}
	for len(want) < 5_000 { // tables grow with marks in them
		h := rng.Uint64()
		if s.SetMark(h, 1); s.Mark(h) != 0 || s.Has(h) {
			t.Fatalf("%#x was marked and is not in the set", h)
		}
		want[h] = 0
		for h := range want {
			if rng.IntN(8) == 0 {
				break
			}
			s.Add(h)
			want[h] = Mark(rng.IntN(4))
			s.SetMark(h, want[h])
		}
	}
	for h, m := range want {
		if s.Add(h) && m != 0 || s.Mark(h) != m {
			t.Fatalf("the mark of %#x is %d, want %d", h, s.Mark(h), m)
		}
	}
}

func TestSetSize(t *testing.T) {
	var s Set
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 100_000; n++ {
		s.Add(rng.Uint64())
		if n%20_000 != 0 {
			continue
		}
		slots := 0
		for _, t := range s.tables {
			slots += len(t.slots)
		}
		if bytes := float64(8*slots) / float64(n); bytes < 9.1 || bytes > 14 {
			t.Errorf("%d keys take %.1f bytes each, want 9.1 to 14", n, bytes)
		}
	}
}

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
