package warc

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestRoom lays out records of all sizes as a sink does, and reads them as libarchive
// does.
func TestRoom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	least := leastFiller(Edition10)
	fits := func(at, header int64) bool { return at/blockSize == (at+header-1)/blockSize }
	before, behind, last := 0, 0, 0
	for range 400 {
		at := int64(0)
		var begins []int64 // where records begin
		var lands []int64  // where libarchive looks for the next one
		begin := func(header, record int64) {
			if !fits(at, header) {
				t.Fatalf("a header of %d bytes at %d", header, at)
			}
			begins = append(begins, at)
			at += record
			lands = append(lands, at)
		}
		for range 300 {
			header := 200 + random.Int64N(1<<(1+random.IntN(14)))
			block := random.Int64N(1 << (1 + random.IntN(18)))
			if random.IntN(50) == 0 {
				block = blockSize*random.Int64N(3) - 10 + random.Int64N(20)
			}
			block = max(block, 0)
			first, then, end := room(at, header, block, least)
			if first > 0 {
				before++
				begin(least, first)
			}
			begin(header, header+block+4)
			lands = append(lands, at+overread(at-block-4, block)) // when the block was read
			if then > 0 {
				behind++
				begin(least, then)
			}
			if first > 0 && first < least || then > 0 && then < least {
				t.Fatalf("fillers of %d and %d bytes", first, then)
			}
			if end { // the next record begins another file
				last++
				break
			}
		}
		begins = append(begins, at)
		for _, land := range lands {
			if _, found := slices.BinarySearch(begins, land); !found && land < at {
				t.Fatalf("no record begins at %d", land)
			}
		}
	}
	if before == 0 || behind == 0 || last == 0 {
		t.Errorf("%d fillers before a record, %d behind it, %d times the end of a file", before, behind, last)
	}
	for _, header := range []int64{blockSize + 1, 3 * blockSize} {
		if _, behind, last := room(5, header, blockSize, least); !last || behind != 0 {
			t.Errorf("a record with a header of %d bytes can have others behind it", header)
		}
	}
}

func TestFiller(t *testing.T) {
	least := leastFiller(Edition10)
	for _, size := range []int64{least, least + 1, least + 100, 10_000, blockSize + least, 1_000_000} {
		f := fill(Edition10, recordID{6: 0x40, 8: 0x80}, time.Now(), size)
		plain := slices.Concat(f.head, slices.Concat(f.block...), recordEnd)
		r, err := parse(plain)
		if err != nil {
			t.Fatalf("%d: %v", size, err)
		}
		if int64(len(plain)) != size || !isFiller(r) {
			t.Errorf("a filler of %d bytes has %d", size, len(plain))
		}
	}
}

// A filler behind a large body is as long, and is not built in memory.
func TestLongFiller(t *testing.T) {
	const long = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := fill(Edition10, recordID{}, time.Time{}, long)
	runtime.ReadMemStats(&after)
	if n := len(f.head) + size(f.block) + len(recordEnd); n != long {
		t.Errorf("it has %d bytes", n)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}
