package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A number is a heap element that knows its place.
type number struct{ value, index int }

func (n *number) Before(m *number) bool { return n.value < m.value }
func (n *number) Placed(i int)          { n.index = i }

func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Heap[*number]
	var in []*number
	for range 5000 {
		switch op := rng.IntN(10); {
		case op < 5 || len(in) == 0:
			n := &number{value: rng.IntN(1000)}
			h.Push(n)
			in = append(in, n)
		case op < 8:
			i := rng.IntN(len(in))
			n := in[i]
			in = slices.Delete(in, i, i+1)
			if got := h.Remove(n.index); got != n || n.index != -1 {
				t.Fatalf("removed %+v, want %+v", got, n)
			}
		default:
			n := in[rng.IntN(len(in))]
			n.value = rng.IntN(1000)
			h.Fix(n.index)
		}
		for i, n := range h {
			if n.index != i || i > 0 && n.Before(h[(i-1)/2]) {
				t.Fatalf("element %d of %d is out of place", i, len(h))
			}
		}
		if top, ok := h.Top(); ok != (len(in) > 0) || len(h) != len(in) ||
			ok && slices.ContainsFunc(in, func(n *number) bool { return n.Before(top) }) {
			t.Fatalf("top is %+v of %d, want the least of %d", top, len(h), len(in))
		}
	}
}
