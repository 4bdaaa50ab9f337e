package monitor

import (
	"bytes"
	"sync"
)

// partNames are the names of the events.
var partNames = [parts]string{"status", "hosts", "pages", "rejections", "errors", "robots", "ended"}

const (
	partStatus = iota
	partHosts
	partPages
	partRejections
	partErrors
	partRobots
	partEnded // the last event
	parts
)

// events holds the latest data of each event. It is safe for concurrent use.
type events struct {
	mu      sync.Mutex // guards all below
	parts   [parts][]byte
	version [parts]int    // number of changes of each part
	changed chan struct{} // closed at the next change
}

func newEvents() *events { return &events{changed: make(chan struct{})} }

// put replaces parts; nil leaves a part unchanged.
func (e *events) put(fresh [parts][]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	some := false
	for i, data := range fresh {
		if data != nil && !bytes.Equal(data, e.parts[i]) {
			e.parts[i] = data
			e.version[i]++
			some = true
		}
	}
	if some {
		close(e.changed)
		e.changed = make(chan struct{})
	}
}

// since returns the parts that have changed since the versions in seen, and updates seen.
// The channel is closed at the next change.
func (e *events) since(seen *[parts]int) (fresh [parts][]byte, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range parts {
		if e.version[i] != seen[i] {
			fresh[i], seen[i] = e.parts[i], e.version[i]
		}
	}
	return fresh, e.changed
}
