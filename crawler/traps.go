package crawler

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A trap is a part of a site that has no end: a calendar with a link to the next month,
// filters that can be combined, a session id in every link. No single URL gives it
// away, and a shop of a million articles has as many URLs. What tells them apart is
// that a trap has nothing new to say, and yet leads on and on.
//
// So the URLs of a host are sorted into patterns (pattern.go). The first pages of a
// pattern, trap-pages, are free. After these it has a budget, a tenth as many at first,
// of which each page that follows
//
//   - adds trapGain when it shows something that the pages before it did not show,
//   - takes one when it does not, and leads to URLs that nobody knew, of this pattern or
//     of another that has had its free pages (or redirects), of this host or another,
//   - takes nothing otherwise: what leads nowhere comes to an end by itself.
//
// Only every trapSample-th is looked at, and counts for all. When nothing is left, the
// pattern is closed: its URLs are left alone, each with a line in rejected.jsonl. An
// archive of a hundred thousand articles never gets there, nor does one in which nine of
// ten are missing, nor do products without a word that lists lead to.
//
// Only what is found by links, and by redirects of these, is counted and left alone.
// What the person asks for, and what a site lists in its sitemaps, is no trap, wherever
// it redirects to. Nor is a page without links: an error, a file that is no HTML.
const (
	trapGain   = 10
	trapSample = 4
	leastTrial = 10 * trapSample // where a tenth is less
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
	// that were not asked for the longest time begin anew.
	maxPatterns = 200_000

	// maxHostPatterns is how many of them a host has to itself. Beyond that its URLs
	// are counted by coarse patterns.
	maxHostPatterns = 1000

	// maxWatched is how many patterns are looked at. When there are more, the one
	// that was looked at first forgets what it has seen.
	maxWatched = 1024
)

// traps counts pages by pattern. It is safe for concurrent use.
type traps struct {
	free int // trap-pages; 0: nothing is counted
	seed maphash.Seed

	mu       sync.Mutex     // guards all below
	closed   map[uint64]int // by host and pattern: pages fetched until then
	young    map[frontier.Host]map[string]*pattern
	old      map[frontier.Host]map[string]*pattern // those not seen since young was begun
	patterns int                                   // in young
	watched  []*pattern                            // a ring, filled from the front
	next     int                                   // place in it
}

// pattern is what is known of the pages of one pattern.
type pattern struct {
	pages int
	moved int     // redirects, which are not judged
	left  int     // of the budget; at zero it is closed
	seen  *recent // nil: nothing was looked at, or it is forgotten
}

func newTraps(free int) *traps {
	return &traps{free: free, seed: maphash.MakeSeed(), closed: make(map[uint64]int), young: make(map[frontier.Host]map[string]*pattern)}
}

// closedFor returns the pattern of a URL, when it is closed, and how many pages were
// fetched by then.
func (t *traps) closedFor(host frontier.Host, url string) (name string, pages int, closed bool) {
	if !t.anyClosed() {
		return "", 0, false
	}
	names := patternsOf(url)
	t.mu.Lock()
	defer t.mu.Unlock()
	// What it is counted by now may be another name: a host that was forgotten begins anew.
	if pages, closed = t.closed[t.key(host, names[0])]; closed {
		return names[0], pages, true
	}
	name, _ = t.look(host, names)
	pages, closed = t.closed[t.key(host, name)]
	return name, pages, closed
}

func (t *traps) anyClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.closed) > 0
}

// fetched counts a page, and tells whether it is to be judged.
func (t *traps) fetched(host frontier.Host, url string) (judged bool) {
	if t.free == 0 {
		return false
	}
	names := patternsOf(url)
	t.mu.Lock()
	defer t.mu.Unlock()
	_, p := t.pattern(host, names)
	if p.pages++; p.pages == t.free+1 {
		p.left = max(t.free/10, leastTrial)
	}
	return p.pages > t.free && (p.pages-t.free)%trapSample == 1
}

// moved counts a redirect. It has nothing to show, but as many as there are free pages
// make its pattern one that others lead on to.
func (t *traps) moved(host frontier.Host, url string) {
	if t.free == 0 {
		return
	}
	names := patternsOf(url)
	t.mu.Lock()
	defer t.mu.Unlock()
	_, p := t.pattern(host, names)
	p.moved++
}

// spent tells whether the pattern of a URL has had its free pages.
func (t *traps) spent(host frontier.Host, url string) bool {
	names := patternsOf(url)
	t.mu.Lock()
	defer t.mu.Unlock()
	_, p := t.look(host, names)
	return p != nil && p.pages+p.moved > t.free
}

// judge decides about a page, which may lead to more of its like, and tells when that
// closes its pattern.
func (t *traps) judge(host frontier.Host, url string, page []byte, leads bool) (name string, pages int, closes bool) {
	names, shown := patternsOf(url), t.shown(page)
	t.mu.Lock()
	defer t.mu.Unlock()
	name, p := t.pattern(host, names)
	switch {
	case t.isNews(p, shown):
		p.left += trapGain * trapSample
	case leads:
		p.left -= trapSample
	}
	key := t.key(host, name)
	if _, already := t.closed[key]; already || p.left > 0 || p.pages <= t.free {
		return "", 0, false
	}
	t.closed[key] = p.pages
	return name, p.pages, true
}

// close closes a pattern, as an earlier process has.
func (t *traps) close(host frontier.Host, name string, pages int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed[t.key(host, name)] = pages
}

func (t *traps) key(host frontier.Host, name string) uint64 {
	return maphash.String(t.seed, string(host)+name)
}

// look returns the name of the pattern that a URL is counted by, and what is known of
// it; nil: nothing is.
func (t *traps) look(host frontier.Host, names [2]string) (string, *pattern) {
	h, ok := t.young[host]
	if !ok {
		h = t.old[host]
	}
	if p := h[names[0]]; p != nil || len(h) < maxHostPatterns {
		return names[0], p
	}
	return names[1], h[names[1]]
}

// pattern is look for a page that is to be counted.
func (t *traps) pattern(host frontier.Host, names [2]string) (string, *pattern) {
	name, p := t.look(host, names)
	h, ok := t.young[host]
	if !ok {
		if h = t.old[host]; h == nil {
			h = make(map[string]*pattern)
		}
		delete(t.old, host)
		t.young[host] = h
		t.patterns += 1 + len(h) // a host takes as much as a pattern
	}
	if p == nil {
		p = &pattern{}
		h[name] = p
		t.patterns++
	}
	if t.patterns > maxPatterns/2 {
		delete(t.young, host)
		t.old, t.young, t.patterns = t.young, map[frontier.Host]map[string]*pattern{host: h}, 1+len(h)
	}
	return name, p
}

// isNews tells whether a page shows enough that those before it did not. Of the first
// that is looked at nobody can say.
func (t *traps) isNews(p *pattern, shown []item) bool {
	first := p.seen == nil
	if first {
		t.watch(p)
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

// watch gives a pattern room to remember what its pages show, and takes it from
// another where there is no more.
func (t *traps) watch(p *pattern) {
	if len(t.watched) < maxWatched {
		p.seen = new(recent)
		t.watched = append(t.watched, p)
		return
	}
	before := &t.watched[t.next]
	p.seen, (*before).seen = (*before).seen, nil
	clear(p.seen[:])
	*before = p
	t.next = (t.next + 1) % maxWatched
}

// item is a thing that a page shows, by its hash, and how much of the page it is.
type item struct {
	hash uint32
	size int
}

// What is looked at of a page.
const (
	maxShownItems = 2000
	maxShownBytes = 256 << 10
)

// shown lists what a page shows.
func (t *traps) shown(page []byte) []item {
	items := make([]item, 0, 128)
	for run, media := range extract.Runs(page[:min(len(page), maxShownBytes)]) {
		i := item{size: leastNews}
		if !media {
			i.size = len(run)
			run = withoutDates(run)
		}
		i.hash = uint32(maphash.Bytes(t.seed, run))
		if items = append(items, i); len(items) == maxShownItems {
			break
		}
	}
	return items
}

// withoutDates folds the digits of a text, so that another date makes no other text of
// it. A number by itself stays: a table has nothing else to say.
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

// recent remembers some thousands of hashes, those that it was asked for last. It is
// a table of buckets, in each of which the latest comes first.
type recent [recentBuckets * recentDepth]uint32

const (
	recentBuckets = 1 << 10
	recentDepth   = 8
)

// add adds a hash, and tells whether it was not there.
func (r *recent) add(hash uint32) bool {
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
