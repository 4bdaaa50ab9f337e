package robotsext

import "sync"

// warnings remembers which warnings were logged.
type warnings struct {
	mu     sync.Mutex
	logged map[string]bool
}

// maxWarnings limits the warnings that are remembered; beyond it some are repeated.
const maxWarnings = 10_000

// first reports whether the warning has not been logged yet.
func (w *warnings) first(warning string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.logged[warning] {
		return false
	}
	if w.logged == nil || len(w.logged) >= maxWarnings {
		w.logged = make(map[string]bool)
	}
	w.logged[warning] = true
	return true
}
