package crawler

import "sync"

// budget hands out the pages that a crawl may still fetch. A turn that brought
// no page gives its share back, so that max-pages is met exactly.
type budget struct {
	mu    sync.Mutex // guards both below
	left  int        // pages neither fetched nor in flight; negative: no limit
	turns int        // in flight
}

func newBudget(limit int) *budget {
	if limit == 0 {
		limit = -1
	}
	return &budget{left: limit}
}

// take reserves one page. When there is none, spent tells whether all have been
// fetched, or a turn in flight may still give one back.
func (b *budget) take() (ok, spent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return false, b.turns == 0
	}
	if b.left > 0 {
		b.left--
	}
	b.turns++
	return true, false
}

// done ends a turn that take allowed, and tells whether the last page has been
// fetched.
func (b *budget) done(fetched bool) (spent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turns--
	if !fetched && b.left >= 0 {
		b.left++
	}
	return b.left == 0 && b.turns == 0
}
