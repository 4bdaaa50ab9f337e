package report

import "math/bits"

// A keySet answers fast for most keys that are not in it: it needs one byte for each key, while a
// look-up in a map of all URLs mostly waits for memory.
type keySet struct{ words []uint64 }

// newKeySet returns a set for up to n keys.
func newKeySet(n int) keySet { return keySet{make([]uint64, n/8+1)} }

func (s keySet) add(k key) {
	word, bit := s.place(k)
	s.words[word] |= bit
}

// mayHave reports false only if a key was not added.
func (s keySet) mayHave(k key) bool {
	word, bit := s.place(k)
	return s.words[word]&bit != 0
}

func (s keySet) place(k key) (word, bit uint64) {
	word, rest := bits.Mul64(uint64(k), uint64(len(s.words)))
	return word, 1 << (rest >> 58)
}
