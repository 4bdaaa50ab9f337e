// Package trap detects spider traps.
//
// A trap is a part of a site that has no end: a calendar with a link to the next month,
// filters that can be combined, a session id in every link. No single URL gives it away, and a
// shop of a million articles has as many URLs. The difference is that a trap shows nothing
// new, and yet leads on and on.
//
// So the URLs of a host are sorted into patterns (pattern.go). The first pages of a
// pattern, trap-pages, are free. After these it has a budget, a tenth as many at first,
// of which each page that follows
//
//   - adds gain when it shows something that the pages before it did not show,
//   - takes one when it does not, and leads to URLs that nobody knew, of this pattern or
//     of another that has had its free pages (or redirects), of this host or another,
//   - takes nothing otherwise: what leads nowhere comes to an end by itself.
//
// Only one page in sampleEvery is examined, and counts for all. When the budget is spent, the
// pattern is closed: its URLs are skipped. An archive of a hundred thousand articles never
// gets there, nor does one in which nine of ten are missing.
//
// Only what is found by links, and by redirects of these, is counted and skipped.
// What the person asks for, and what a site lists in its sitemaps, is no trap, wherever
// it redirects to. Nor is a page without links: an error, a file that is no HTML.
package trap

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// The budget of a pattern; see the package comment.
const (
	gain        = 10
	sampleEvery = 4
	leastTrial  = 10 * sampleEvery // where a tenth is less
)

// What a page has to show beyond what was seen, in bytes of text, to bring something,
// and how large a part of the page that has to be: one in so many. A date, the name of
// a month, "no articles that are red and cheap" is less. A picture counts for as much.
const (
	leastNews  = 100
	leastShare = 100
)

// What traps may take in memory. It is about 64 MiB, whatever the number of hosts, and
// some bytes more for each pattern that was closed, which costs the site trap-pages
// requests first.
const (
	// maxPatterns is how many patterns are counted. When there are more, the hosts
	// that were not requested for the longest time begin anew.
	maxPatterns = 200_000

	// maxHostPatterns is how many of them a host has to itself. Beyond that its URLs
	// are counted by coarse patterns.
	maxHostPatterns = 1000

	// maxWatched is how many patterns are looked at. When there are more, the one
	// that was looked at first forgets what it has seen.
	maxWatched = 1024
)

// ClosedPattern is a pattern of URLs that was closed, as the journal has it. What
// happened before is not stored: a resumed crawl starts to count again for open patterns,
// so a trap gets trap-pages more each time.
type ClosedPattern struct {
	Host    frontier.Host `json:"host"`
	Pattern string        `json:"pattern"`
	Pages   int           `json:"pages"`      // fetched until then
	Free    int           `json:"trap_pages"` // trap-pages
	At      time.Time     `json:"closed_at"`
}

// Detector counts pages by pattern. It is safe for concurrent use.
type Detector struct {
	free int // trap-pages; 0: nothing is counted
	seed maphash.Seed

	mu       sync.Mutex     // guards all below
	closed   map[uint64]int // by host and pattern: pages fetched until then
	current  map[frontier.Host]map[string]*pattern
	previous map[frontier.Host]map[string]*pattern // those not requested since current was started
	patterns int                                   // in young
	watched  []*pattern                            // a ring, filled from the front
	next     int                                   // place in it
}

// pattern is what is known of the pages of one pattern.
type pattern struct {
	pages     int
	redirects int           // redirects, which are not judged
	budget    int           // of the budget; at zero it is closed
	seen      *recentHashes // nil: nothing was looked at, or it is forgotten
}

// New returns a detector that lets each pattern of a host have free pages before it has to
// show something new; 0: it detects nothing.
func New(free int) *Detector {
	return &Detector{free: free, seed: maphash.MakeSeed(), closed: make(map[uint64]int), current: make(map[frontier.Host]map[string]*pattern)}
}

// Closed returns the pattern of a URL, when it is closed, and how many pages were
// fetched by then.
func (d *Detector) Closed(host frontier.Host, url string) (name string, pages int, closed bool) {
	if !d.anyClosed() {
		return "", 0, false
	}
	names := patternsOf(url)
	d.mu.Lock()
	defer d.mu.Unlock()
	// The current name may be another one, since the counts of a host may have been dropped.
	if pages, closed = d.closed[d.key(host, names[0])]; closed {
		return names[0], pages, true
	}
	name, _ = d.lookup(host, names)
	pages, closed = d.closed[d.key(host, name)]
	return name, pages, closed
}

func (d *Detector) anyClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.closed) > 0
}

// Fetched counts a page, and reports whether Judge has to examine it.
func (d *Detector) Fetched(host frontier.Host, url string) (judged bool) {
	if d.free == 0 {
		return false
	}
	names := patternsOf(url)
	d.mu.Lock()
	defer d.mu.Unlock()
	_, p := d.pattern(host, names)
	if p.pages++; p.pages == d.free+1 {
		p.budget = max(d.free/10, leastTrial)
	}
	return p.pages > d.free && (p.pages-d.free)%sampleEvery == 1
}

// Redirected counts a redirect. It shows nothing, but as many as there are free pages
// make its pattern one that others lead on to.
func (d *Detector) Redirected(host frontier.Host, url string) {
	if d.free == 0 {
		return
	}
	names := patternsOf(url)
	d.mu.Lock()
	defer d.mu.Unlock()
	_, p := d.pattern(host, names)
	p.redirects++
}

// Exhausted reports whether the pattern of a URL has used up its free pages.
func (d *Detector) Exhausted(host frontier.Host, url string) bool {
	names := patternsOf(url)
	d.mu.Lock()
	defer d.mu.Unlock()
	_, p := d.lookup(host, names)
	return p != nil && p.pages+p.redirects > d.free
}

// Judge examines a page, which may lead to more of its like. It returns the pattern of the
// page when that closes it, and else nil.
func (d *Detector) Judge(host frontier.Host, url string, page []byte, leads bool) *ClosedPattern {
	names, items := patternsOf(url), d.items(page)
	d.mu.Lock()
	defer d.mu.Unlock()
	name, p := d.pattern(host, names)
	switch {
	case d.showsNew(p, items):
		p.budget += gain * sampleEvery
	case leads:
		p.budget -= sampleEvery
	}
	key := d.key(host, name)
	if _, already := d.closed[key]; already || p.budget > 0 || p.pages <= d.free {
		return nil
	}
	d.closed[key] = p.pages
	return &ClosedPattern{Host: host, Pattern: name, Pages: p.pages, Free: d.free, At: time.Now()}
}

// Close closes a pattern that an earlier process closed.
func (d *Detector) Close(p *ClosedPattern) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed[d.key(p.Host, p.Pattern)] = p.Pages
}

func (d *Detector) key(host frontier.Host, name string) uint64 {
	return maphash.String(d.seed, string(host)+name)
}

// lookup returns the name of the pattern that a URL is counted by, and what is known of
// it; nil: nothing is.
func (d *Detector) lookup(host frontier.Host, names [2]string) (string, *pattern) {
	h, ok := d.current[host]
	if !ok {
		h = d.previous[host]
	}
	if p := h[names[0]]; p != nil || len(h) < maxHostPatterns {
		return names[0], p
	}
	return names[1], h[names[1]]
}

// pattern is look for a page that is to be counted.
func (d *Detector) pattern(host frontier.Host, names [2]string) (string, *pattern) {
	name, p := d.lookup(host, names)
	h, ok := d.current[host]
	if !ok {
		if h = d.previous[host]; h == nil {
			h = make(map[string]*pattern)
		}
		delete(d.previous, host)
		d.current[host] = h
		d.patterns += 1 + len(h) // a host takes as much as a pattern
	}
	if p == nil {
		p = &pattern{}
		h[name] = p
		d.patterns++
	}
	if d.patterns > maxPatterns/2 {
		delete(d.current, host)
		d.previous, d.current, d.patterns = d.current, map[frontier.Host]map[string]*pattern{host: h}, 1+len(h)
	}
	return name, p
}

// showsNew reports whether a page shows enough that earlier pages did not. The first
// examined page never does.
func (d *Detector) showsNew(p *pattern, shown []item) bool {
	first := p.seen == nil
	if first {
		d.remember(p)
	}
	fresh, all := 0, 0
	for _, i := range shown {
		all += i.size
		if p.seen.add(i.hash) {
			fresh += i.size
		}
	}
	return !first && fresh >= leastNews && fresh*leastShare >= all
}

// remember gives a pattern memory for what its pages show, and takes it from another
// pattern if there is no more.
func (d *Detector) remember(p *pattern) {
	if len(d.watched) < maxWatched {
		p.seen = new(recentHashes)
		d.watched = append(d.watched, p)
		return
	}
	before := &d.watched[d.next]
	p.seen, (*before).seen = (*before).seen, nil
	clear(p.seen[:])
	*before = p
	d.next = (d.next + 1) % maxWatched
}

// item is a thing that a page shows, by its hash, and how much of the page it is.
type item struct {
	hash uint32
	size int
}

// What is looked at of a page.
const (
	maxItems     = 2000
	maxItemBytes = 256 << 10
)

// items lists what a page shows.
func (d *Detector) items(page []byte) []item {
	items := make([]item, 0, 128)
	for run, media := range extract.VisibleParts(page[:min(len(page), maxItemBytes)]) {
		i := item{size: leastNews}
		if !media {
			i.size = len(run)
			run = withoutDates(run)
		}
		i.hash = uint32(maphash.Bytes(d.seed, run))
		if items = append(items, i); len(items) == maxItems {
			break
		}
	}
	return items
}

// withoutDates replaces the digits of a text, so that another date does not make it new. A
// number alone stays: a table may have nothing else.
func withoutDates(text []byte) []byte {
	digits, points := 0, 0
	for _, c := range text {
		switch {
		case isDigit(c):
			digits++
		case c == '.' || c == ',':
			points++
		}
	}
	if digits == 0 || digits+points == len(text) && points <= 1 {
		return text
	}
	return []byte(foldDigits(string(text)))
}

// recentHashes stores some thousands of hashes, the last used ones. It is a table of
// buckets, each with the latest first.
type recentHashes [recentBuckets * recentDepth]uint32

const (
	recentBuckets = 1 << 10
	recentDepth   = 8
)

// add adds a hash, and reports whether it is new.
func (r *recentHashes) add(hash uint32) bool {
	at := int(hash%recentBuckets) * recentDepth
	bucket := r[at : at+recentDepth]
	hash |= 1 << 31 // zero is an empty place
	place := slices.Index(bucket, hash)
	fresh := place < 0
	if fresh {
		place = recentDepth - 1
	}
	copy(bucket[1:place+1], bucket[:place])
	bucket[0] = hash
	return fresh
}
