package robotsext

import (
	"sync"
	"time"
)

// warnings remembers which warnings were logged.
type warnings struct {
	mu    sync.Mutex
	until map[string]time.Time // by warning
}

// maxWarnings limits the warnings that are remembered; beyond it some are repeated.
const maxWarnings = 10_000

// first reports whether the warning is to be logged at now, and not again before until.
func (w *warnings) first(warning string, now, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Before(w.until[warning]) {
		return false
	}
	if w.until == nil || len(w.until) >= maxWarnings {
		w.until = make(map[string]time.Time)
	}
	w.until[warning] = until
	return true
}
