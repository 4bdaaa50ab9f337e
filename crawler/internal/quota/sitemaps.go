package quota

import (
	"fmt"
	"hash/maphash"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Sitemaps limits the number of sitemap files that a host lists, and of the pages in them,
// since both may be endless. In a shared crawl each process counts separately.
type Sitemaps struct {
	limit    int
	maxPages int // of all files that a host lists; 0 means no limit
	life     *lifecycle.Lifecycle

	mu         sync.Mutex // guards all below
	taken      map[robotsext.Origin]int
	otherHosts map[robotsext.Origin]map[uint64]bool // hashes of the sitemaps of other hosts that its indexes list
	pages      map[robotsext.Origin]int

	seed maphash.Seed
}

// TakeOtherHost reports whether a sitemap of another host, listed by an index of origin, is
// recorded: once, and only up to the limit.
func (f *Sitemaps) TakeOtherHost(origin robotsext.Origin, url string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	hash, listed := maphash.String(f.seed, url), f.otherHosts[origin]
	if listed[hash] || len(listed) >= f.limit {
		return false
	}
	if listed == nil {
		listed = make(map[uint64]bool)
		f.otherHosts[origin] = listed
	}
	listed[hash] = true
	return true
}

// TakePage reports whether one more page is queued from the files that origin lists.
func (f *Sitemaps) TakePage(origin robotsext.Origin) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isExhausted(origin) {
		return false
	}
	f.pages[origin]++
	return true
}

// GiveBack returns pages that TakePage granted.
func (f *Sitemaps) GiveBack(origin robotsext.Origin, pages int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages[origin] -= pages
}

// Exhausted reports whether TakePage grants no more pages.
func (f *Sitemaps) Exhausted(origin robotsext.Origin) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.isExhausted(origin)
}

func (f *Sitemaps) isExhausted(origin robotsext.Origin) bool {
	return f.maxPages > 0 && f.pages[origin] >= f.maxPages
}

// ExceededText says why TakePage grants no more pages.
func (f *Sitemaps) ExceededText(origin robotsext.Origin) string {
	return fmt.Sprintf("the sitemaps of %s list more than %d pages (max-sitemap-entries)", origin, f.maxPages)
}

// Take reports whether one more file that origin lists is read.
func (f *Sitemaps) Take(origin robotsext.Origin) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken[origin]++
	if f.taken[origin] == f.limit+1 {
		f.life.Notice("too many sitemaps", fmt.Sprintf("%s lists more than %d sitemaps; the others are not read (max-sitemaps)", origin, f.limit), "host", origin, "limit", f.limit)
	}
	return f.taken[origin] <= f.limit
}

// NewSitemaps returns the quota of the sitemaps that each origin lists: files, and pages in all of
// them (0 means no limit). It warns once of an origin that lists more files.
func NewSitemaps(limit, maxPages int, life *lifecycle.Lifecycle) *Sitemaps {
	return &Sitemaps{
		limit: limit, maxPages: maxPages, life: life,
		taken: make(map[robotsext.Origin]int), otherHosts: make(map[robotsext.Origin]map[uint64]bool), pages: make(map[robotsext.Origin]int),
		seed: maphash.MakeSeed(),
	}
}

// Count counts a sitemap that an earlier process read, and its pages.
func (f *Sitemaps) Count(origin robotsext.Origin, pages int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken[origin]++
	f.pages[origin] += pages
}

// Listed returns how many files an origin lists, those beyond the limit included.
func (f *Sitemaps) Listed(origin robotsext.Origin) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken[origin]
}
