// Package heap is a typed container/heap: a priority queue that can remove elements at any
// position.
package heap

import "container/heap"

// An Element is an element of a Heap.
type Element[T any] interface {
	Before(T) bool
	Placed(index int) // called with the new index, or -1 if no longer in the heap
}

// A Heap returns its elements in the order of Before. The zero Heap is empty.
type Heap[T Element[T]] []T

// Top returns the first element. ok is false if the heap is empty.
func (h Heap[T]) Top() (first T, ok bool) {
	if len(h) == 0 {
		return first, false
	}
	return h[0], true
}

// Push adds x.
func (h *Heap[T]) Push(x T) { heap.Push((*elements[T])(h), x) }

// Remove removes and returns the element at index i.
func (h *Heap[T]) Remove(i int) T { return heap.Remove((*elements[T])(h), i).(T) }

// Fix restores the order after a change of the element at index i.
func (h *Heap[T]) Fix(i int) { heap.Fix((*elements[T])(h), i) }

// elements implements heap.Interface of container/heap.
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
