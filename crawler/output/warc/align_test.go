package warc

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestGap lays out records of all sizes as a sink does.
func TestGap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	least := leastFiller(Edition10)
	fits := func(at, header int64) bool { return at/blockSize == (at+header-1)/blockSize }
	fillers := 0
	for range 200 {
		at := int64(0)
		for range 500 {
			header := 200 + random.Int64N(1<<(1+random.IntN(16)))
			header = min(header, blockSize)
			record := header + 4 + random.Int64N(1<<(1+random.IntN(18)))
			n := gap(at, header, record, least)
			if n > 0 {
				fillers++
				if n < least || !fits(at, least) {
					t.Fatalf("a filler of %d bytes at %d", n, at)
				}
			}
			if at += n; !fits(at, header) {
				t.Fatalf("a header of %d bytes at %d", header, at)
			}
			at += record
		}
	}
	if fillers == 0 {
		t.Error("no filler was needed")
	}
	if n := gap(5, blockSize+1, blockSize+10, least); n != 0 {
		t.Errorf("a gap of %d before a header that fits nowhere", n)
	}
}

func TestFiller(t *testing.T) {
	least := int(leastFiller(Edition10))
	for _, size := range []int{least, least + 1, least + 100, 10_000, blockSize + least} {
		f := newFiller(Edition10, recordID{6: 0x40, 8: 0x80}, time.Now(), size)
		plain := append(append(f.head, f.block...), recordEnd...)
		r, err := parse(plain)
		if err != nil {
			t.Fatalf("%d: %v", size, err)
		}
		if len(plain) != size || !isFiller(r) {
			t.Errorf("a filler of %d bytes has %d: %q", size, len(plain), plain)
		}
	}
}
