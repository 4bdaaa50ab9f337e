package robotstxt

import "hash/maphash"

// names finds the group of a token. Names are compared without regard to ASCII
// case (ROB-UA-02) unless exact is set (D1).
type names struct {
	exact bool
	list  []string // as first written, in file order
	seed  maphash.Seed
	table []nameSlot // open addressing; nil while list is short
}

type nameSlot struct {
	hash  uint32
	index int32 // in list, plus 1; 0: free
}

// fewNames is how many names are searched one by one.
const fewNames = 32

func (n *names) find(name string) int {
	if n.table != nil {
		i, _ := n.lookup(name, n.hash(name))
		return i
	}
	for i, s := range n.list {
		if n.equal(s, name) {
			return i
		}
	}
	return -1
}

// add returns the position of name, which it adds if it is new.
func (n *names) add(name string) int {
	if n.table == nil {
		if i := n.find(name); i >= 0 {
			return i
		}
		n.list = append(n.list, name)
		if len(n.list) > fewNames {
			n.makeTable()
		}
		return len(n.list) - 1
	}
	hash := n.hash(name)
	i, slot := n.lookup(name, hash)
	if i < 0 {
		i = len(n.list)
		n.list = append(n.list, name)
		n.table[slot] = nameSlot{hash, int32(i + 1)}
		if 2*len(n.list) > len(n.table) {
			n.growTable()
		}
	}
	return i
}

// lookup returns the position of name, or else -1 and the slot to put it in.
func (n *names) lookup(name string, hash uint32) (i, slot int) {
	for slot = n.home(hash); n.table[slot].index != 0; slot = n.home(uint32(slot + 1)) {
		i := int(n.table[slot].index) - 1
		if n.table[slot].hash == hash && n.equal(n.list[i], name) {
			return i, slot
		}
	}
	return -1, slot
}

func (n *names) makeTable() {
	n.seed = maphash.MakeSeed() // so that no file can choose names that collide
	n.table = make([]nameSlot, 8*fewNames)
	for i, name := range n.list {
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

// home is where the search for a hash begins, and wraps around the table.
func (n *names) home(hash uint32) int { return int(hash) & (len(n.table) - 1) }

func (n *names) equal(a, b string) bool {
	if n.exact {
		return a == b
	}
	return equalFold(a, b)
}

// hash is that of the name in lower case.
func (n *names) hash(name string) uint32 {
	var buf [64]byte
	key := buf[:0]
	for i := 0; i < len(name); i++ {
		key = append(key, lower(name[i]))
	}
	return uint32(maphash.Bytes(n.seed, key))
}
