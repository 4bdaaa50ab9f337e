package robotstxt

import "hash/maphash"

// names is a set of group names, compared without regard to ASCII case (ROB-UA-02).
type names struct {
	text  string // text of the file
	list  []name // in file order
	seed  maphash.Seed
	index map[uint64]int32 // positions in list by hash, of the first name with it; nil while list is short
}

// name is the first occurrence of a name.
type name struct {
	span
	block  int32 // the last block that mentions it, counted from 1
	blocks int32 // number of blocks that mention it
}

// fewNames is the number of names up to which a linear search is used.
const fewNames = 32

func (n *names) find(name string) int {
	if n.index != nil {
		i, ok := n.index[n.hash(name)]
		if !ok {
			return -1
		}
		if equalFold(n.list[i].of(n.text), name) {
			return int(i)
		}
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
	if i := n.find(where.of(n.text)); i >= 0 {
		return i
	}
	n.list = append(n.list, name{span: where})
	first := len(n.list) - 1 // that is not in the index
	if n.index == nil && len(n.list) > fewNames {
		n.seed = maphash.MakeSeed() // so that a hostile file cannot choose names that collide
		n.index, first = make(map[uint64]int32, 4*fewNames), 0
	}
	for i := first; i < len(n.list) && n.index != nil; i++ {
		if hash := n.hash(n.list[i].of(n.text)); n.index[hash] == 0 {
			n.index[hash] = int32(i)
		}
	}
	return len(n.list) - 1
}

// hash returns the same value for equal names.
func (n *names) hash(name string) uint64 {
	var buf [64]byte
	key := append(buf[:0], name...)
	for i := range key {
		key[i] |= 0x20 // lower case for letters; other characters may collide, and equalFold distinguishes them
	}
	return maphash.Bytes(n.seed, key)
}
