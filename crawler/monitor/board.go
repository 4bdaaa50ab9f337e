package monitor

import (
	"bytes"
	"sync"
)

// The parts of what viewers see, which are the names of the events.
var partNames = [parts]string{"now", "hosts", "pages", "rejections", "faults", "robots", "ended"}

const (
	partNow = iota
	partHosts
	partPages
	partRejections
	partFaults
	partRobots
	partEnded // the last event of all
	parts
)

// A board holds what all viewers are to see. It is safe for concurrent use.
type board struct {
	mu      sync.Mutex // guards all below
	parts   [parts][]byte
	version [parts]int    // how often each part has changed
	changed chan struct{} // closed at the next change
}

func newBoard() *board { return &board{changed: make(chan struct{})} }

// put replaces parts; nil leaves one as it is.
func (b *board) put(fresh [parts][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	some := false
	for i, data := range fresh {
		if data != nil && !bytes.Equal(data, b.parts[i]) {
			b.parts[i] = data
			b.version[i]++
			some = true
		}
	}
	if some {
		close(b.changed)
		b.changed = make(chan struct{})
	}
}

// since returns the parts that have changed since seen, which it brings up to now,
// and a channel that is closed when there are others.
func (b *board) since(seen *[parts]int) (fresh [parts][]byte, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range parts {
		if b.version[i] != seen[i] {
			fresh[i], seen[i] = b.parts[i], b.version[i]
		}
	}
	return fresh, b.changed
}
