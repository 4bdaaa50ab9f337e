package report

import (
	"strconv"
	"testing"
)

// A filter contains all keys that were added to it, and less than one of seven others.
func TestKeyFilter(t *testing.T) {
	const keys = 10_000
	for _, n := range []int{0, 1, 7, 1000, 5000} {
		f := newKeyFilter(n)
		for i := range n {
			f.add(keyOf(strconv.Itoa(i)))
		}
		others := 0
		for i := range keys {
			switch contains := f.mayContain(keyOf(strconv.Itoa(i))); {
			case i < n && !contains:
				t.Errorf("of %d keys, number %d is missing", n, i)
			case i >= n && contains:
				others++
			}
		}
		if limit := (keys - n) / 7; others > limit {
			t.Errorf("with %d keys it contains %d others, more than %d", n, others, limit)
		}
	}
}
