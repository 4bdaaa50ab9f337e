// Package trap detects spider traps.
//
// A trap is an endless part of a site: a calendar with a link to the next month, combined
// filters, or a session id in every link. No single URL reveals it, and a large shop has as
// many URLs. But the pages of a trap show nothing new, and still link to more pages.
//
// The detector groups the URLs of a host by pattern (pattern.go). The first pages of a pattern,
// trap-pages, are free. After these the pattern has a budget of a tenth of trap-pages. Each
// further page changes the budget:
//
//   - A page with new content adds gain.
//   - A page without new content subtracts 1 if it links to new URLs of a pattern, on any host,
//     that has used up its free pages.
//   - Other pages change nothing, since pages without new links are not endless.
//
// The detector examines one page in sampleEvery, which counts for all. When the budget of a pattern
// is used up, it closes the pattern: the crawler skips its URLs. An archive of a hundred thousand
// articles stays open, also if nine of ten are missing.
//
// Only URLs from links and their redirects are counted and skipped. Start URLs, sitemap entries
// and their redirects are not, nor are pages without links, such as errors and images.
package trap

import (
	"fmt"
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
	leastTrial  = 10 * sampleEvery // the minimum of the initial budget
)

// A page has new content if at least leastNews bytes of its text are new, and at least one in
// leastShare bytes. A date or "no red articles" is less. A new picture counts as leastNews.
const (
	leastNews  = 100
	leastShare = 100
)

// Limits of memory: about 64 MiB for any number of hosts, and some bytes for each closed
// pattern.
const (
	// maxPatterns is the maximum number of patterns. Beyond it, the detector forgets the hosts
	// that were not requested for the longest time.
	maxPatterns = 200_000

	// maxHostPatterns is the maximum number of patterns of a host. Beyond it, its URLs are
	// counted by coarse patterns.
	maxHostPatterns = 1000

	// maxWatched is the maximum number of patterns with memory for content. Beyond it, the
	// oldest one loses its memory.
	maxWatched = 1024
)

// ClosedPattern is a closed pattern of URLs, as the journal stores it. Open patterns are not
// stored: a resumed crawl counts them from 0, so a trap gets trap-pages more each time.
type ClosedPattern struct {
	Host    frontier.Host `json:"host"`
	Pattern string        `json:"pattern"`
	Pages   int           `json:"pages"`      // fetched before it was closed
	Free    int           `json:"trap_pages"` // trap-pages
	At      time.Time     `json:"closed_at"`
}

// Detector counts pages by pattern. It is safe for concurrent use.
type Detector struct {
	free int // trap-pages; 0 if traps are not detected
	seed maphash.Seed

	mu       sync.Mutex     // guards all below
	closed   map[uint64]int // by host and pattern: pages fetched before it was closed
	current  map[frontier.Host]map[string]*pattern
	previous map[frontier.Host]map[string]*pattern // hosts not requested since current was created
	patterns int                                   // in current
	watched  []*pattern                            // a ring of patterns with memory
	next     int                                   // the index of the next one to lose it
}

// pattern has the counts and the memory of one pattern.
type pattern struct {
	pages     int
	redirects int           // not examined
	budget    int           // at 0 the pattern is closed
	seen      *recentHashes // content of its pages; nil if none was examined, or it has lost its memory
}

// New returns a detector with so many free pages for each pattern of a host. 0 turns the
// detection off.
func New(free int) *Detector {
	return &Detector{free: free, seed: maphash.MakeSeed(), closed: make(map[uint64]int), current: make(map[frontier.Host]map[string]*pattern)}
}

// Closed returns why a URL is not fetched, if its pattern is closed, or "".
func (d *Detector) Closed(host frontier.Host, url string) (why string) {
	d.mu.Lock()
	none := len(d.closed) == 0
	d.mu.Unlock()
	if none {
		return ""
	}
	names := patternsOf(url)
	d.mu.Lock()
	defer d.mu.Unlock()
	// The URL may now have another pattern, since the detector forgets hosts.
	current, _ := d.lookup(host, names)
	for _, name := range []string{names[0], current} {
		if pages, closed := d.closed[d.key(host, name)]; closed {
			return fmt.Sprintf("%s: after %d pages the pattern shows nothing new and leads to ever more URLs (trap-pages %d)", name, pages, d.free)
		}
	}
	return ""
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

// Redirected counts a redirect. Redirects have no content, but they use up free pages.
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

// Judge examines a page. Leads says that it links to new URLs of a pattern without free pages.
// Judge returns the pattern if the page closes it, or else nil.
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

// Restore closes a pattern that an earlier process closed, unless trap-pages was raised since.
func (d *Detector) Restore(p *ClosedPattern) {
	if d.free == 0 || p.Free < d.free {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed[d.key(p.Host, p.Pattern)] = p.Pages
}

// Notice tells an operator that the pattern is closed.
func (p *ClosedPattern) Notice() string {
	return fmt.Sprintf("%s: after %d pages like %s, which show nothing new and lead to ever more, further ones are skipped (trap-pages)", p.Host, p.Pages, p.Pattern)
}

func (d *Detector) key(host frontier.Host, name string) uint64 {
	return maphash.String(d.seed, string(host)+name)
}

// lookup returns the pattern of a URL and its name. The pattern is nil if it is new.
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

// pattern is lookup, and creates the pattern if it is new.
func (d *Detector) pattern(host frontier.Host, names [2]string) (string, *pattern) {
	name, p := d.lookup(host, names)
	h, ok := d.current[host]
	if !ok {
		if h = d.previous[host]; h == nil {
			h = make(map[string]*pattern)
		}
		delete(d.previous, host)
		d.current[host] = h
		d.patterns += 1 + len(h) // a host needs as much memory as a pattern
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

// showsNew reports whether a page has enough new content. The first examined page never has.
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

// remember gives a pattern memory for the content of its pages. If there is none left, it
// takes the memory of the oldest pattern.
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

// item is a part of the content of a page: its hash and its size in bytes.
type item struct {
	hash uint32
	size int
}

// Limits of what is examined of a page.
const (
	maxItems     = 2000
	maxItemBytes = 256 << 10
)

// items returns the content of a page.
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

// withoutDates replaces the digits of a text, so that another date does not make it new. It
// keeps a text that is a number, since a table may have only numbers.
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

// recentHashes stores the 8,192 most recently used hashes. It is a table of buckets, each with
// the most recent hash first.
type recentHashes [recentBuckets * recentDepth]uint32

const (
	recentBuckets = 1 << 10
	recentDepth   = 8
)

// add adds a hash, and reports whether it is new.
func (r *recentHashes) add(hash uint32) bool {
	at := int(hash%recentBuckets) * recentDepth
	bucket := r[at : at+recentDepth]
	hash |= 1 << 31 // 0 is an empty slot
	place := slices.Index(bucket, hash)
	fresh := place < 0
	if fresh {
		place = recentDepth - 1
	}
	copy(bucket[1:place+1], bucket[:place])
	bucket[0] = hash
	return fresh
}
