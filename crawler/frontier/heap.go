package frontier

// A ranked element knows what comes before it in a heap, and is told its
// place there, so that it can be taken out of the middle.
type ranked[T any] interface {
	before(T) bool
	placed(index int) // -1: no longer in the heap
}

// A heap gives its elements in the order of before. Unlike container/heap it
// needs neither an interface value for each element nor five methods for each
// element type.
type heap[T ranked[T]] []T

// top returns the first element. ok is false when there is none.
func (h heap[T]) top() (first T, ok bool) {
	if len(h) == 0 {
		return first, false
	}
	return h[0], true
}

func (h *heap[T]) push(x T) {
	*h = append(*h, x)
	h.up(len(*h) - 1)
}

// remove takes the element at index i out and returns it.
func (h *heap[T]) remove(i int) T {
	s := *h
	x, last := s[i], len(s)-1
	s[i] = s[last]
	clear(s[last:])
	*h = s[:last]
	if i < last {
		h.fix(i)
	}
	if last == 0 {
		*h = nil
	}
	x.placed(-1)
	return x
}

// fix restores the order when the element at index i has changed.
func (h *heap[T]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h heap[T]) up(i int) {
	x := h[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(h[parent]) {
			break
		}
		h.set(i, h[parent])
		i = parent
	}
	h.set(i, x)
}

func (h heap[T]) down(i int) (moved bool) {
	x, start := h[i], i
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if right := child + 1; right < len(h) && h[right].before(h[child]) {
			child = right
		}
		if !h[child].before(x) {
			break
		}
		h.set(i, h[child])
		i = child
	}
	h.set(i, x)
	return i > start
}

func (h heap[T]) set(i int, x T) {
	h[i] = x
	x.placed(i)
}
