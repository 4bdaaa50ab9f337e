package frontier

import (
	"encoding/binary"
	"iter"
)

const (
	firstChunk = 64
	lastChunk  = 4096
)

// A fifo is a queue of pairs of byte strings. It stores them in chunks, which grow with the queue.
// For millions of URLs this needs much less memory and garbage collection than separate values.
type fifo struct {
	head, tail *chunk
	read       int // number of bytes of head that were popped
}

type chunk struct {
	next *chunk
	buf  []byte
}

func (q *fifo) empty() bool { return q.head == nil }

func (q *fifo) push(a string, b []byte) {
	need := 2*binary.MaxVarintLen32 + len(a) + len(b)
	if q.tail == nil {
		q.head = &chunk{buf: make([]byte, 0, max(firstChunk, need))}
		q.tail = q.head
	} else if had := cap(q.tail.buf); len(q.tail.buf)+need > had {
		q.tail.next = &chunk{buf: make([]byte, 0, max(min(2*had, lastChunk), need))}
		q.tail = q.tail.next
	}
	buf := binary.AppendUvarint(q.tail.buf, uint64(len(a)))
	buf = append(buf, a...)
	buf = binary.AppendUvarint(buf, uint64(len(b)))
	buf = append(buf, b...)
	q.tail.buf = buf
}

// pop returns copies of the first pair. The queue must not be empty.
func (q *fifo) pop() (a string, b []byte) {
	a = string(q.field())
	b = append(b, q.field()...)
	if q.read == len(q.head.buf) {
		q.head, q.read = q.head.next, 0
		if q.head == nil {
			q.tail = nil
		}
	}
	return a, b
}

// all returns copies of all pairs, first to last.
func (q *fifo) all() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := *q; !rest.empty(); {
			if !yield(rest.pop()) {
				return
			}
		}
	}
}

// field reads one byte string of head.
func (q *fifo) field() []byte {
	length, n := binary.Uvarint(q.head.buf[q.read:])
	start := q.read + n
	q.read = start + int(length)
	return q.head.buf[start:q.read]
}
