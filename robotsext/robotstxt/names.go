package robotstxt

import "hash/maphash"

// names is a set of group names, compared without regard to ASCII case (ROB-UA-02).
type names struct {
	text  string // text of the file
	list  []name // in file order
	seed  maphash.Seed
	table []nameSlot // open addressing; nil while list is short
}

// name is the first occurrence of a name.
type name struct {
	span
	block  int32 // the last block that mentions it, counted from 1
	blocks int32 // number of blocks that mention it
}

type nameSlot struct {
	hash  uint32
	index int32 // in list, plus 1; 0 if free
}

// fewNames is the number of names up to which a linear search is used.
const fewNames = 32

func (n *names) find(name string) int {
	if n.table != nil {
		i, _ := n.lookup(name, n.hash(name))
		return i
	}
	for i := range n.list {
		if n.list[i].hi-n.list[i].lo == int32(len(name)) && equalFold(n.list[i].of(n.text), name) {
			return i
		}
	}
	return -1
}

// add returns the position of a name, after adding it if it is new.
func (n *names) add(where span) int {
	what := where.of(n.text)
	if n.table == nil {
		if i := n.find(what); i >= 0 {
			return i
		}
		n.list = append(n.list, name{span: where})
		if len(n.list) > fewNames {
			n.makeTable()
		}
		return len(n.list) - 1
	}
	hash := n.hash(what)
	i, slot := n.lookup(what, hash)
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, name{span: where})
		n.table[slot] = nameSlot{hash, int32(i + 1)}
		if 2*len(n.list) > len(n.table) {
			n.growTable()
		}
	}
	return i
}

// lookup returns the position of name, or -1 and the slot for it.
func (n *names) lookup(name string, hash uint32) (i, slot int) {
	for slot = n.home(hash); n.table[slot].index != 0; slot = n.home(uint32(slot + 1)) {
		i := int(n.table[slot].index) - 1
		if n.table[slot].hash == hash && equalFold(n.list[i].of(n.text), name) {
			return i, slot
		}
	}
	return -1, slot
}

func (n *names) makeTable() {
	n.seed = maphash.MakeSeed() // so that a hostile file cannot choose names that collide
	n.table = make([]nameSlot, 8*fewNames)
	for i := range n.list {
		name := n.list[i].of(n.text)
		hash := n.hash(name)
		_, slot := n.lookup(name, hash)
		n.table[slot] = nameSlot{hash, int32(i + 1)}
	}
}

func (n *names) growTable() {
	old := n.table
	n.table = make([]nameSlot, 4*len(old))
	for _, s := range old {
		if s.index != 0 {
			slot := n.home(s.hash)
			for n.table[slot].index != 0 {
				slot = n.home(uint32(slot + 1))
			}
			n.table[slot] = s
		}
	}
}

// home returns the slot where the search for a hash begins.
func (n *names) home(hash uint32) int { return int(hash) & (len(n.table) - 1) }

// hash returns the same value for equal names.
func (n *names) hash(name string) uint32 {
	var buf [64]byte
	key := append(buf[:0], name...)
	for i := range key {
		key[i] |= 0x20 // lower case for letters; other characters may collide, and equalFold distinguishes them
	}
	return uint32(maphash.Bytes(n.seed, key))
}
