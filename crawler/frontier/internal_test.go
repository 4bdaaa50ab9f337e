package frontier_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// A number is a heap element that knows its place.
type number struct{ value, index int }

func (n *number) Before(m *number) bool { return n.value < m.value }
func (n *number) Placed(i int)          { n.index = i }

func TestHeap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h heap.Heap[*number]
	var in []*number
	for range 2000 {
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
		if top, ok := h.Top(); ok != (len(in) > 0) || len(h) != len(in) || ok && top != h[0] {
			t.Fatalf("top is %+v of %d, want the least of %d", top, len(h), len(in))
		}
	}
}

// TestSiphash takes the vectors of the paper's reference implementation: the key is 00 01 … 0f, and the string
// the first n of 00 01 02 ….
func TestSiphash(t *testing.T) {
	var k siphash.Key
	for i := range k {
		k[i] = byte(i)
	}
	var b strings.Builder
	for n := range 64 {
		b.WriteByte(byte(n))
	}
	for n, want := range map[int]uint64{
		0:  0x726fdb47dd0e0e31,
		1:  0x74f839c593dc67fd,
		7:  0xab0200f58b01d137,
		8:  0x93f5f5799a932462,
		15: 0xa129ca6149be45e5,
		63: 0x958a324ceb064572,
	} {
		if got := k.Sum(b.String()[:n]); got != want {
			t.Errorf("Sum of %d bytes = %#x, want %#x", n, got, want)
		}
	}
}

func TestCutPath(t *testing.T) {
	const host = "a.test"
	for _, c := range []struct{ url, path string }{
		{"https://a.test", ""},
		{"https://a.test/x?y", "/x?y"},
		{"https://a.test?y", "?y"},
		{"https://a.test#z", "#z"},
		{"http://a.test", ":"},
		{"http://a.test/x?y", ":/x?y"},
		{"http://a.test?y", ":?y"},
		{"http://a.test./x", "http://a.test./x"},
		{"https://a.test:443/x", "https://a.test:443/x"},
		{"http://a.test:81/x", "http://a.test:81/x"},
		{"http://a.test.example/x", "http://a.test.example/x"},
		{"http://user@a.test/x", "http://user@a.test/x"},
		{"ftp://a.test/x", "ftp://a.test/x"},
	} {
		path := urlpath.Cut(c.url, host)
		if path != c.path || urlpath.Join(host, path) != c.url {
			t.Errorf("Cut(%q) = %q, want %q; joined: %q", c.url, path, c.path, urlpath.Join(host, path))
		}
	}
}
