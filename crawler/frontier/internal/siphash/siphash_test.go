package siphash

import (
	"strings"
	"testing"
)

// TestSum takes the vectors of the paper's reference implementation: the key is
// 00 01 … 0f, and the string the first n of 00 01 02 ….
func TestSum(t *testing.T) {
	var k Key
	var b strings.Builder
	for i := range k {
		k[i] = byte(i)
	}
	want := map[int]uint64{
		0:  0x726fdb47dd0e0e31,
		1:  0x74f839c593dc67fd,
		7:  0xab0200f58b01d137,
		8:  0x93f5f5799a932462,
		15: 0xa129ca6149be45e5,
		63: 0x958a324ceb064572,
	}
	for n := range 64 {
		if w, ok := want[n]; ok {
			if got := k.Sum(b.String()); got != w {
				t.Errorf("Sum of %d bytes = %#x, want %#x", n, got, w)
			}
		}
		b.WriteByte(byte(n))
	}
}

func TestKey(t *testing.T) {
	a, b := Key{15: 1}, Key{}
	if a.Sum("x") == b.Sum("x") {
		t.Error("two keys give the same hash")
	}
}

func BenchmarkSum(b *testing.B) {
	var k Key
	const url = "https://www.host1234.example/section/12/article-123456.html"
	b.SetBytes(int64(len(url)))
	for b.Loop() {
		k.Sum(url)
	}
}
