package crawler

import "sync"

// budget hands out the pages that a crawl may still fetch. A turn that brought
// no page gives its share back, so that max-pages is met exactly.
type budget struct {
	mu      sync.Mutex // guards left and turns
	changed *sync.Cond
	left    int // pages neither fetched nor in flight; negative: no limit
	turns   int // in flight
}

func newBudget(limit int) *budget {
	b := &budget{left: limit}
	if limit == 0 {
		b.left = -1
	}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// take reserves one page. It waits while only turns in flight could give one
// back, and is false when all pages have been fetched.
func (b *budget) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.left == 0 && b.turns > 0 {
		b.changed.Wait()
	}
	if b.left == 0 {
		return false
	}
	if b.left > 0 {
		b.left--
	}
	b.turns++
	return true
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
	b.changed.Broadcast()
	return b.left == 0 && b.turns == 0
}
