package logstore

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A queue has the pending URLs of a host.
type queue struct {
	Fresh []band              // never leased, by priority
	Again heap.Heap[returned] // those that were leased or scheduled before
}

// A returned URL was leased or scheduled before.
type returned struct {
	Seq      uint64 // the order of first leases
	At       int64  // offset of its record
	Attempts int32  // may be newer than its record
	Priority uint8
}

// Before is for package heap.
func (r returned) Before(s returned) bool {
	return cmp.Or(cmp.Compare(r.Priority, s.Priority), cmp.Compare(r.Seq, s.Seq)) < 0
}

// Placed is for package heap.
func (returned) Placed(int) {}

// A band has the offsets of the fresh URLs of one priority, in the order of the log.
type band struct {
	Priority uint8
	Offsets  offsets
}

// push appends a fresh URL.
func (q *queue) push(priority uint8, at int64) {
	i, ok := slices.BinarySearchFunc(q.Fresh, priority, func(b band, p uint8) int { return cmp.Compare(b.Priority, p) })
	if !ok {
		q.Fresh = slices.Insert(q.Fresh, i, band{Priority: priority})
	}
	q.Fresh[i].Offsets.push(at)
}

// pop removes and returns the next URL. A fresh one has the Seq 0. There must be one.
func (q *queue) pop() returned {
	if r, ok := q.Again.Top(); ok && (len(q.Fresh) == 0 || r.Priority <= q.Fresh[0].Priority) {
		return q.Again.Remove(0)
	}
	b := &q.Fresh[0]
	r := returned{At: b.Offsets.pop(), Priority: b.Priority}
	if b.Offsets.N == 0 {
		q.Fresh = slices.Delete(q.Fresh, 0, 1)
	}
	if len(q.Fresh) == 0 {
		q.Fresh = nil
	}
	return r
}

// first returns the smallest offset. There must be one.
func (q *queue) first() int64 {
	at := int64(math.MaxInt64)
	for _, b := range q.Fresh {
		at = min(at, b.Offsets.First)
	}
	for _, r := range q.Again {
		at = min(at, r.At)
	}
	return at
}

// all returns the URLs in order.
func (q *queue) all() iter.Seq[returned] {
	rest := queue{slices.Clone(q.Fresh), slices.Clone(q.Again)} // pop does not write to the gaps
	return func(yield func(returned) bool) {
		for len(rest.Fresh) > 0 || len(rest.Again) > 0 {
			if !yield(rest.pop()) {
				return
			}
		}
	}
}

// offsets are a queue of growing numbers, with a few bytes for each.
type offsets struct {
	N           int
	First, Last int64
	Gaps        []byte // between the numbers after the first, as varints
	Read        int    // number of bytes of gaps before those of the first number
}

func (o *offsets) push(at int64) {
	if o.N == 0 {
		*o = offsets{First: at}
	} else {
		o.Gaps = binary.AppendUvarint(o.Gaps, uint64(at-o.Last))
	}
	o.Last = at
	o.N++
}

func (o *offsets) pop() int64 {
	at := o.First
	if o.N--; o.N == 0 {
		*o = offsets{}
		return at
	}
	gap, k := binary.Uvarint(o.Gaps[o.Read:])
	o.First += int64(gap)
	if o.Read += k; o.Read > len(o.Gaps)/2 {
		o.Gaps, o.Read = append(o.Gaps[:0:0], o.Gaps[o.Read:]...), 0
	}
	return at
}
