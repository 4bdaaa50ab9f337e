// Package recent is a map of bounded size that forgets the entries that were used least
// recently.
package recent

// A Map has two generations. When the young one is full it becomes the old one. Entries of the old
// one are forgotten unless they are read.
type Map[K comparable, V any] struct {
	half       int // it holds this many entries at least and twice as many at most
	young, old map[K]V
}

// New returns a map that remembers the last half entries at least, and 2*half at most.
func New[K comparable, V any](half int) *Map[K, V] {
	return &Map[K, V]{half: half, young: make(map[K]V)}
}

// Get returns the value of a key, and counts as a use of it.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	if value, ok = m.young[key]; ok {
		return value, true
	}
	if value, ok = m.old[key]; ok {
		m.Put(key, value)
	}
	return value, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, value V) {
	if len(m.young) >= m.half {
		m.young, m.old = make(map[K]V), m.young
	}
	m.young[key] = value
}

// Clear forgets everything.
func (m *Map[K, V]) Clear() { m.young, m.old = make(map[K]V), nil }
