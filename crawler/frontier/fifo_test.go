package frontier

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFifo(t *testing.T) {
	type pair struct {
		a string
		b []byte
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var q fifo
	var want []pair
	for step := range 20_000 {
		// The queue grows and shrinks, past empty many times.
		if len(want) > 0 && rng.IntN(100) < 45+step/200%10 {
			a, b := q.pop()
			if a != want[0].a || !bytes.Equal(b, want[0].b) {
				t.Fatalf("step %d: popped %q, %q, want %q, %q", step, a, b, want[0].a, want[0].b)
			}
			want = want[1:]
			continue
		}
		p := pair{a: strings.Repeat("a", rng.IntN(200)), b: bytes.Repeat([]byte("b"), rng.IntN(3)*rng.IntN(3000))}
		q.push(p.a, p.b)
		want = append(want, p)
		if q.empty() {
			t.Fatalf("step %d: empty after a push", step)
		}
	}
	for range want {
		q.pop()
	}
	if !q.empty() || q.head != nil || q.tail != nil {
		t.Fatal("not empty at the end")
	}
}
