package warc

import "testing"

func TestMemory(t *testing.T) {
	const half = 100
	m := newMemory[int, int](half)
	for n := range 10 * half {
		m.put(n, -n)
		if v, ok := m.get(0); !ok || v != 0 {
			t.Fatalf("0 was asked for all the time and is forgotten after %d", n)
		}
		late := max(n-half/3, 0) // since then as many were put, and as many asked for
		if v, ok := m.get(late); !ok || v != -late {
			t.Fatalf("%d is forgotten after %d", late, n)
		}
		if got := len(m.young) + len(m.old); got > 2*half {
			t.Fatalf("%d entries", got)
		}
	}
	if _, ok := m.get(half); ok {
		t.Errorf("%d was not asked for in a long time and is remembered", half)
	}
	if m.forget(); len(m.young)+len(m.old) > 0 {
		t.Error("not all is forgotten")
	}
}
