package warc

// A memory is a map that forgets, to stay within bounds: what was not asked for
// since as many others came goes first.
type memory[K comparable, V any] struct {
	half  int // it holds this many entries at least and twice as many at most
	young map[K]V
	old   map[K]V
}

func newMemory[K comparable, V any](half int) *memory[K, V] {
	return &memory[K, V]{half: half, young: make(map[K]V)}
}

func (m *memory[K, V]) get(key K) (value V, ok bool) {
	if value, ok = m.young[key]; ok {
		return value, true
	}
	if value, ok = m.old[key]; ok {
		m.put(key, value)
	}
	return value, ok
}

func (m *memory[K, V]) put(key K, value V) {
	if len(m.young) >= m.half {
		m.young, m.old = make(map[K]V), m.young
	}
	m.young[key] = value
}

// forget forgets everything.
func (m *memory[K, V]) forget() {
	m.young, m.old = make(map[K]V), nil
}
