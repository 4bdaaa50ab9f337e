package recent

import "testing"

func TestMapForgetsLeastRecentlyUsed(t *testing.T) {
	const half = 100
	m := New[int, int](half)
	length := func() int { return len(m.young) + len(m.old) }
	for n := range 10 * half {
		m.Put(n, -n)
		if v, ok := m.Get(0); !ok || v != 0 {
			t.Fatalf("0 was read all the time and is forgotten after %d", n)
		}
		late := max(n-half/3, 0) // since then as many were put, and as many read
		if v, ok := m.Get(late); !ok || v != -late {
			t.Fatalf("%d is forgotten after %d", late, n)
		}
		if got := length(); got > 2*half {
			t.Fatalf("%d entries", got)
		}
	}
	if _, ok := m.Get(half); ok {
		t.Errorf("%d was not read in a long time and is remembered", half)
	}
	if m.Clear(); length() > 0 {
		t.Error("not all is forgotten")
	}
}
