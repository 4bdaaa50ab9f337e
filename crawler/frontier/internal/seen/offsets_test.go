package seen

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// filled returns a map of some hashes, and n of each kind, and its contents.
func filled(t testing.TB, n int) (*Offsets, map[uint64]int64) {
	t.Helper()
	o, want := new(Offsets), make(map[uint64]int64)
	rng := rand.New(rand.NewPCG(1, 2))
	set := func(h uint64, offset int64) {
		t.Helper()
		if had := o.Set(h, offset); had != want[h] {
			t.Fatalf("Set(%#x) = %d, want %d", h, had, want[h])
		}
		want[h] = offset
	}
	// The ends of a table and of the shards, twice.
	for _, h := range []uint64{0, 1, 1<<56 - 1, 1 << 56, 1<<64 - 1, 1<<64 - 2, 0, 1<<64 - 1} {
		set(h, 1+rng.Int64N(MaxOffset))
	}
	set(3, MaxOffset)
	for range n {
		set(rng.Uint64(), 1+rng.Int64N(MaxOffset))
		set(rng.Uint64()&hashMask, 1+rng.Int64N(MaxOffset)) // all in one shard, whose table gets large
		set(rng.Uint64N(300), 1+rng.Int64N(MaxOffset))      // for the same slot
	}
	t.Cleanup(o.Clear)
	return o, want
}

func compare(t *testing.T, o *Offsets, want map[uint64]int64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	for h, offset := range want {
		if got := o.Get(h); got != offset {
			t.Fatalf("Get(%#x) = %d, want %d", h, got, offset)
		}
		if h := rng.Uint64(); o.Get(h) != want[h] {
			t.Fatalf("Get(%#x) = %d, want %d", h, o.Get(h), want[h])
		}
	}
	n := 0
	for i := range o.tables {
		n += o.tables[i].n
	}
	if n != len(want) {
		t.Fatalf("%d hashes, want %d", n, len(want))
	}
}

func TestOffsets(t *testing.T) {
	o, want := filled(t, 8_000)
	compare(t, o, want)
	var text bytes.Buffer
	n, err := o.WriteTo(&text)
	if err != nil || n != int64(text.Len()) {
		t.Fatalf("WriteTo = %d, %v; want %d", n, err, text.Len())
	}
	var again Offsets
	if err := again.ReadFrom(bufio.NewReader(&text), n); err != nil {
		t.Fatal(err)
	}
	compare(t, &again, want)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 10_000 { // it can grow
		h := rng.Uint64()
		again.Set(h, 7)
		want[h] = 7
	}
	compare(t, &again, want)
	again.Clear()
	compare(t, &again, nil)
	again.Set(1, 2)
	compare(t, &again, map[uint64]int64{1: 2})
}

func TestOffsetsSize(t *testing.T) {
	var o Offsets
	defer o.Clear()
	rng := rand.New(rand.NewPCG(5, 6))
	for n := 1; n <= 100_000; n++ {
		o.Set(rng.Uint64(), 1)
		if n%20_000 != 0 {
			continue
		}
		size := 0
		for i := range o.tables {
			size += len(o.tables[i].slots)
		}
		if bytes := float64(size) / float64(n); bytes < 13.7 || bytes > 17.2 {
			t.Errorf("%d keys take %.1f bytes each, want 14 to 17", n, bytes)
		}
	}
}

// fullWriter has room for n bytes.
type fullWriter struct{ n int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		return w.n, io.ErrShortWrite
	}
	w.n -= len(p)
	return len(p), nil
}

func TestOffsetsOnFullDisk(t *testing.T) {
	o, _ := filled(t, 10)
	for _, room := range []int{0, 1, 2, 50, 300} {
		if n, err := o.WriteTo(&fullWriter{room}); !errors.Is(err, io.ErrShortWrite) || n != int64(room) {
			t.Errorf("WriteTo = %d, %v with room for %d bytes", n, err, room)
		}
	}
}

// FuzzReadFrom reads damaged maps: they give an error, or a map that is written as it was read.
func FuzzReadFrom(f *testing.F) {
	o, _ := filled(f, 100)
	var text bytes.Buffer
	if _, err := o.WriteTo(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add(text.Bytes()[:text.Len()/2])
	f.Add(make([]byte, 2*shards))
	f.Add([]byte{1, 1})
	f.Add(binary.AppendUvarint(nil, 1<<62))
	f.Fuzz(func(t *testing.T, text []byte) {
		var o Offsets
		defer o.Clear()
		r := bytes.NewReader(text)
		in := bufio.NewReader(r)
		if o.ReadFrom(in, int64(len(text))) != nil {
			return
		}
		read := len(text) - r.Len() - in.Buffered()
		var again bytes.Buffer
		if n, err := o.WriteTo(&again); err != nil || n > int64(read) {
			t.Errorf("WriteTo = %d, %v; %d were read", n, err, read)
		}
	})
}
