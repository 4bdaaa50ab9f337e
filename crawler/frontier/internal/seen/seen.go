// Package seen is a set of 64-bit hashes without deletion, for the URLs that a crawler knows.
//
// It uses open addressing without pointers, so the garbage collector does not scan it. Its 256
// tables grow by half when they are 7/8 full, so it needs 9 to 14 bytes a hash and never pauses
// for long. The slot of a hash is its value scaled to the size of the table. So a table is almost
// sorted, and growing it reads and writes memory sequentially.
package seen

import "math/bits"

const (
	shards    = 256
	firstSize = 8
)

// A Set is a set of hashes, each with a mark. The zero Set is empty. It is not
// safe for concurrent use.
type Set struct{ tables [shards]table }

// Add adds h to the set and reports whether it is new.
func (s *Set) Add(h uint64) bool {
	t := &s.tables[h>>56]
	return t.add(h << 8 >> 8)
}

// Has reports whether h is in the set.
func (s *Set) Has(h uint64) bool {
	t := &s.tables[h>>56]
	_, found := t.find(h<<8>>8 + 1)
	return found
}

// A Mark is a number from 0 to 3 stored with a hash, without more memory. A new hash has 0.
type Mark uint8

// Mark returns the mark of h, or 0 if h is not in the set.
func (s *Set) Mark(h uint64) Mark {
	t := &s.tables[h>>56]
	if i, found := t.find(h<<8>>8 + 1); found {
		return Mark(t.slots[i] >> markShift)
	}
	return 0
}

// SetMark changes the mark of h. h must be in the set.
func (s *Set) SetMark(h uint64, m Mark) {
	t := &s.tables[h>>56]
	key := h<<8>>8 + 1
	if i, found := t.find(key); found {
		t.slots[i] = key | uint64(m)<<markShift
	}
}

// A slot has the key in the bits below markShift, and the mark above.
const (
	markShift = 62
	keyMask   = 1<<markShift - 1
)

// A table has the lower 56 bits of hashes plus one; zero is an empty slot.
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

// put writes a key with its mark into its slot or the next free one. There is always a free slot.
func (t *table) put(slot uint64) bool {
	i, found := t.find(slot & keyMask)
	if !found {
		t.slots[i] = slot
	}
	return !found
}

// find returns the slot of key, or the free slot for it. An empty table has neither.
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
