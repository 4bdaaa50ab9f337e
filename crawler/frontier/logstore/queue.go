package logstore

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
)

// A queue has the pending URLs of a host.
type queue struct {
	fresh []band              // never leased, by priority
	again heap.Heap[returned] // those that were leased or scheduled before
}

// A returned URL was leased or scheduled before.
type returned struct {
	turn     uint64 // the order of first leases
	at       int64  // offset of its record
	attempts int32  // may be newer than its record
	priority uint8
}

// Before is for package heap.
func (r returned) Before(s returned) bool {
	return cmp.Or(cmp.Compare(r.priority, s.priority), cmp.Compare(r.turn, s.turn)) < 0
}

// Placed is for package heap.
func (returned) Placed(int) {}

// A band has the offsets of the fresh URLs of one priority, in the order of the log.
type band struct {
	priority uint8
	offsets  offsets
}

// push appends a fresh URL.
func (q *queue) push(priority uint8, at int64) {
	i, ok := slices.BinarySearchFunc(q.fresh, priority, func(b band, p uint8) int { return cmp.Compare(b.priority, p) })
	if !ok {
		q.fresh = slices.Insert(q.fresh, i, band{priority: priority})
	}
	q.fresh[i].offsets.push(at)
}

// pop removes and returns the next URL. A fresh one has no turn. There must be one.
func (q *queue) pop() returned {
	if r, ok := q.again.Top(); ok && (len(q.fresh) == 0 || r.priority <= q.fresh[0].priority) {
		return q.again.Remove(0)
	}
	b := &q.fresh[0]
	r := returned{at: b.offsets.pop(), priority: b.priority}
	if b.offsets.n == 0 {
		q.fresh = slices.Delete(q.fresh, 0, 1)
	}
	if len(q.fresh) == 0 {
		q.fresh = nil
	}
	return r
}

// all returns the URLs in order.
func (q *queue) all() (urls []returned) {
	rest := queue{again: slices.Clone(q.again)}
	for _, b := range q.fresh {
		b.offsets.gaps = slices.Clone(b.offsets.gaps)
		rest.fresh = append(rest.fresh, b)
	}
	for len(rest.fresh) > 0 || len(rest.again) > 0 {
		urls = append(urls, rest.pop())
	}
	return urls
}

// offsets are a queue of growing numbers, with a few bytes for each.
type offsets struct {
	n           int
	first, last int64
	gaps        []byte // between the numbers after the first, as varints
	read        int    // number of bytes of gaps before those of the first number
}

func (o *offsets) push(at int64) {
	if o.n == 0 {
		*o = offsets{first: at}
	} else {
		o.gaps = binary.AppendUvarint(o.gaps, uint64(at-o.last))
	}
	o.last = at
	o.n++
}

func (o *offsets) pop() int64 {
	at := o.first
	if o.n--; o.n == 0 {
		*o = offsets{}
		return at
	}
	gap, k := binary.Uvarint(o.gaps[o.read:])
	o.first += int64(gap)
	if o.read += k; o.read > len(o.gaps)/2 {
		o.gaps, o.read = append(o.gaps[:0:0], o.gaps[o.read:]...), 0
	}
	return at
}
