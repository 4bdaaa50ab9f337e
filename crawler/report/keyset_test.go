package report

import "testing"

// A set has all keys that were added to it, and few others.
func TestKeySet(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000} {
		s := newKeySet(n)
		for i := range n {
			s.add(keyOf(string(rune(i))))
		}
		others := 0
		for i := range 2 * 1000 {
			switch may := s.mayHave(keyOf(string(rune(i)))); {
			case i < n && !may:
				t.Errorf("of %d keys, number %d is missing", n, i)
			case i >= n && may:
				others++
			}
		}
		if others > 2*1000/8 {
			t.Errorf("with %d keys, it may have %d others", n, others)
		}
	}
}
