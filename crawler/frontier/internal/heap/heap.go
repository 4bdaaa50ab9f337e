// Package heap is a priority queue whose elements can be taken out of the
// middle.
package heap

// An Element knows what comes before it in a heap, and is told its place there,
// so that it can be taken out of the middle.
type Element[T any] interface {
	Before(T) bool
	Placed(index int) // -1: no longer in the heap
}

// A Heap gives its elements in the order of Before. Unlike container/heap it
// needs neither an interface value for each element nor five methods for each
// element type. The zero Heap is empty.
type Heap[T Element[T]] []T

// Top returns the first element. ok is false when there is none.
func (h Heap[T]) Top() (first T, ok bool) {
	if len(h) == 0 {
		return first, false
	}
	return h[0], true
}

// Push adds x.
func (h *Heap[T]) Push(x T) {
	*h = append(*h, x)
	h.up(len(*h) - 1)
}

// Remove takes the element at index i out and returns it.
func (h *Heap[T]) Remove(i int) T {
	s := *h
	x, last := s[i], len(s)-1
	s[i] = s[last]
	clear(s[last:])
	*h = s[:last]
	if i < last {
		h.Fix(i)
	}
	if last == 0 {
		*h = nil
	}
	x.Placed(-1)
	return x
}

// Fix restores the order when the element at index i has changed.
func (h *Heap[T]) Fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h Heap[T]) up(i int) {
	x := h[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !x.Before(h[parent]) {
			break
		}
		h.set(i, h[parent])
		i = parent
	}
	h.set(i, x)
}

func (h Heap[T]) down(i int) (moved bool) {
	x, start := h[i], i
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) && h[right].Before(h[child]) {
			child = right
		}
		if !h[child].Before(x) {
			break
		}
		h.set(i, h[child])
		i = child
	}
	h.set(i, x)
	return i > start
}

func (h Heap[T]) set(i int, x T) {
	h[i] = x
	x.Placed(i)
}
