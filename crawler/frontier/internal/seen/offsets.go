package seen

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// Offsets maps 64-bit hashes to the places of their records in a file. It is like a Set, but its
// slots have 12 bytes: 7 of the hash, which the number of its table completes, and 5 of the
// offset. Tables grow by a quarter, so a hash needs 14 to 17 bytes. Large tables are outside of
// Go's heap, which would reserve their size once more for garbage.
//
// The zero Offsets is empty. It is not safe for concurrent use.
type Offsets struct{ tables [shards]offsetTable }

// MaxOffset is the largest offset.
const MaxOffset = 1<<40 - 1

const (
	slotSize = 12
	hashMask = 1<<56 - 1
)

// An offsetTable has slots; an offset of 0 is an empty slot.
type offsetTable struct {
	slots []byte
	n     int
}

// Get returns the offset of h, or 0 if there is none.
func (o *Offsets) Get(h uint64) int64 {
	t := &o.tables[h>>56]
	if i, found := t.find(h & hashMask); found {
		return t.offset(i)
	}
	return 0
}

// Set sets the offset of h, which must not be 0, and returns the one that it had, or 0.
func (o *Offsets) Set(h uint64, offset int64) (had int64) {
	t := &o.tables[h>>56]
	i, found := t.find(h & hashMask)
	if found {
		had = t.offset(i)
	} else {
		if slotSize*8*(t.n+1) > 7*len(t.slots) {
			t.grow()
			i, _ = t.find(h & hashMask)
		}
		t.n++
	}
	t.put(i, h&hashMask, offset)
	return had
}

// Clear removes all hashes.
func (o *Offsets) Clear() {
	for i := range o.tables {
		release(o.tables[i].slots)
	}
	*o = Offsets{}
}

// WriteTo writes the map for ReadFrom.
func (o *Offsets) WriteTo(w io.Writer) (n int64, err error) {
	for i := range o.tables {
		t := &o.tables[i]
		head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(t.slots)/slotSize)), uint64(t.n))
		for _, part := range [][]byte{head, t.slots} {
			wrote, err := w.Write(part)
			n += int64(wrote)
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// errTables means that what ReadFrom reads is not what WriteTo wrote.
var errTables = errors.New("the tables of hashes are damaged")

// ReadFrom reads what WriteTo wrote into an empty map. size is the number of bytes left in r.
func (o *Offsets) ReadFrom(r *bufio.Reader, size int64) error {
	for i := range o.tables {
		slots, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if slots > uint64(size/slotSize) || n > slots || n == slots && n > 0 {
			return errTables
		}
		t := &o.tables[i]
		t.slots, t.n = allocate(int(slots)*slotSize), int(n)
		if _, err := io.ReadFull(r, t.slots); err != nil {
			return err
		}
	}
	return nil
}

// find returns the slot of a hash, or the free slot for it. An empty table has neither.
func (t *offsetTable) find(hash uint64) (slot int, found bool) {
	n := len(t.slots) / slotSize
	hi, _ := bits.Mul64(hash<<8, uint64(n))
	for i := int(hi); n > 0; i++ {
		if i == n {
			i = 0
		}
		if t.offset(i) == 0 {
			return i, false
		}
		if t.hash(i) == hash {
			return i, true
		}
	}
	return 0, false
}

func (t *offsetTable) hash(i int) uint64 {
	return binary.LittleEndian.Uint64(t.slots[i*slotSize:]) & hashMask
}

func (t *offsetTable) offset(i int) int64 {
	return int64(binary.LittleEndian.Uint64(t.slots[i*slotSize+4:]) >> 24)
}

func (t *offsetTable) put(i int, hash uint64, offset int64) {
	slot := t.slots[i*slotSize:]
	binary.LittleEndian.PutUint32(slot, uint32(hash))
	binary.LittleEndian.PutUint64(slot[4:], hash>>32|uint64(offset)<<24)
}

func (t *offsetTable) grow() {
	old := *t
	n := len(old.slots) / slotSize
	t.slots = allocate(slotSize * max(firstSize, n+n/4))
	for i := range n {
		if offset := old.offset(i); offset != 0 {
			at, _ := t.find(old.hash(i))
			t.put(at, old.hash(i), offset)
		}
	}
	release(old.slots)
}
