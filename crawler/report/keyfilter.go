package report

import "math/bits"

// A keyFilter is a Bloom filter with one hash function and one byte for each key. It saves most
// look-ups in the map of all URLs, which wait for memory.
type keyFilter struct{ words []uint64 }

// newKeyFilter returns a filter for up to n keys.
func newKeyFilter(n int) keyFilter { return keyFilter{make([]uint64, n/8+1)} }

func (f keyFilter) add(k key) {
	word, bit := f.place(k)
	f.words[word] |= bit
}

// mayContain returns false only for keys that were not added.
func (f keyFilter) mayContain(k key) bool {
	word, bit := f.place(k)
	return f.words[word]&bit != 0
}

// place returns the place of a key: a word, and a bit of it. The key is a hash already.
func (f keyFilter) place(k key) (word, bit uint64) {
	word, rest := bits.Mul64(uint64(k), uint64(len(f.words)))
	return word, 1 << (rest >> 58)
}
