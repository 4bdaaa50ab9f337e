// Package heap is container/heap with types: a priority queue whose elements can
// be taken out of the middle.
package heap

import "container/heap"

// An Element knows what comes before it in a heap, and is told its place there,
// so that it can be taken out of the middle.
type Element[T any] interface {
	Before(T) bool
	Placed(index int) // -1: no longer in the heap
}

// A Heap gives its elements in the order of Before. The zero Heap is empty.
type Heap[T Element[T]] []T

// Top returns the first element. ok is false when there is none.
func (h Heap[T]) Top() (first T, ok bool) {
	if len(h) == 0 {
		return first, false
	}
	return h[0], true
}

// Push adds x.
func (h *Heap[T]) Push(x T) { heap.Push((*elements[T])(h), x) }

// Remove takes the element at index i out and returns it.
func (h *Heap[T]) Remove(i int) T { return heap.Remove((*elements[T])(h), i).(T) }

// Fix restores the order when the element at index i has changed.
func (h *Heap[T]) Fix(i int) { heap.Fix((*elements[T])(h), i) }

// elements are the elements of a Heap as package container/heap wants them.
type elements[T Element[T]] []T

func (e elements[T]) Len() int           { return len(e) }
func (e elements[T]) Less(i, j int) bool { return e[i].Before(e[j]) }

func (e elements[T]) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].Placed(i)
	e[j].Placed(j)
}

// Push is for container/heap.
func (e *elements[T]) Push(x any) {
	*e = append(*e, x.(T))
	x.(T).Placed(len(*e) - 1)
}

// Pop is for container/heap.
func (e *elements[T]) Pop() any {
	s, last := *e, len(*e)-1
	x := s[last]
	clear(s[last:])
	if *e = s[:last]; last == 0 {
		*e = nil
	}
	x.Placed(-1)
	return x
}
