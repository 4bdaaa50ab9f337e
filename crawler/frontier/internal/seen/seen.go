// Package seen holds a set of 64-bit hashes that only grows, made for the
// question that a crawler asks most: was this URL seen before?
//
// It is open addressing without pointers, so that the garbage collector has
// nothing to look at, in 256 tables which grow by half when 7/8 full: 9 to 14
// bytes a key, and no single growth that stops the crawl. The slot of a key is
// its value scaled to the size of the table (a multiplication, no power of two
// needed), so that a table is nearly in order and growing reads and writes it
// from one end to the other.
package seen

import "math/bits"

const (
	shards    = 256
	firstSize = 8
)

// A Set is a set of hashes, each with a mark. The zero Set is empty. It is not
// safe for concurrent use.
type Set struct {
	tables [shards]table
	slots  int // in all tables
}

// Add puts h into the set and reports whether it was new.
func (s *Set) Add(h uint64) bool {
	t := &s.tables[h>>56]
	before := len(t.slots)
	if !t.add(h << 8 >> 8) {
		return false
	}
	s.slots += len(t.slots) - before
	return true
}

// Has reports whether h is in the set.
func (s *Set) Has(h uint64) bool {
	t := &s.tables[h>>56]
	_, found := t.find(h<<8>>8 + 1)
	return found
}

// A Mark is kept with a hash at no cost. It is 0 for one that was added, and 3
// at the most.
type Mark uint8

// Mark returns the mark of h, which is 0 when h is not in the set.
func (s *Set) Mark(h uint64) Mark {
	t := &s.tables[h>>56]
	if i, found := t.find(h<<8>>8 + 1); found {
		return Mark(t.slots[i] >> markShift)
	}
	return 0
}

// SetMark changes the mark of h, which is in the set.
func (s *Set) SetMark(h uint64, m Mark) {
	t := &s.tables[h>>56]
	key := h<<8>>8 + 1
	if i, found := t.find(key); found {
		t.slots[i] = key | uint64(m)<<markShift
	}
}

// Bytes returns the memory that the set takes.
func (s *Set) Bytes() int { return 8 * s.slots }

// Cut makes a cache of the set, of that many bytes, with as many of its hashes
// as there is room for. The set is empty afterwards; its tables are given up
// one by one.
func (s *Set) Cut(bytes int) *Cache {
	c := NewCache(bytes)
	for i := range s.tables {
		for _, slot := range s.tables[i].slots {
			if slot != 0 {
				c.Add(uint64(i)<<56 | (slot&keyMask - 1))
			}
		}
		s.tables[i] = table{}
	}
	s.slots = 0
	return c
}

// markShift is where the mark of a slot begins; before it is the key.
const (
	markShift = 62
	keyMask   = 1<<markShift - 1
)

// A table holds the lower 56 bits of hashes, each plus one so that zero is an
// empty slot.
type table struct {
	slots []uint64
	n     int
}

func (t *table) add(h uint64) bool {
	if 8*(t.n+1) > 7*len(t.slots) {
		t.grow()
	}
	if !t.put(h + 1) {
		return false
	}
	t.n++
	return true
}

// put writes a key with its mark into its slot or, where others are in the way,
// the next free one. There is always a free one.
func (t *table) put(slot uint64) bool {
	i, found := t.find(slot & keyMask)
	if !found {
		t.slots[i] = slot
	}
	return !found
}

// find returns the slot that holds key, or the free one where it belongs. An
// empty table has neither.
func (t *table) find(key uint64) (slot int, found bool) {
	hi, _ := bits.Mul64((key-1)<<8, uint64(len(t.slots)))
	for i := int(hi); len(t.slots) > 0; i++ {
		if i == len(t.slots) {
			i = 0
		}
		switch t.slots[i] & keyMask {
		case key:
			return i, true
		case 0:
			return i, false
		}
	}
	return 0, false
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]uint64, max(firstSize, len(old)+len(old)/2))
	for _, slot := range old {
		if slot != 0 {
			t.put(slot)
		}
	}
}
