package frontier

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// An instant is a point on the clock of a Memory, which began to run when it
// was made and knows no changes of the wall clock.
type instant = time.Duration

const (
	never  instant = math.MaxInt64
	latest         = never - 1 // centuries ahead; whatever is later is then
)

// An entry is a URL that was handed out before or that waits for a time. Those
// that have only ever waited for their host are bytes in a fifo.
type entry struct {
	host       *host
	path       string
	meta       []byte
	validators *Validators
	ready      instant // 0: now
	seq        uint64  // order of discovery
	attempts   int     // leases counted
	priority   uint8
}

// before orders those that wait for a time by it, and those that are ready,
// whose time is set to 0, by priority and discovery.
func (e *entry) before(f *entry) bool {
	return cmp.Or(
		cmp.Compare(e.ready, f.ready),
		cmp.Compare(e.priority, f.priority),
		cmp.Compare(e.seq, f.seq)) < 0
}

func (e *entry) placed(int) {}

// url joins what split has cut.
func (e *entry) url() string {
	if pathOf(e.path) {
		return string(e.host.name) + e.path
	}
	return e.path
}

// split cuts the host off a URL that begins with it.
func split(url string, h Host) string {
	if path, ok := strings.CutPrefix(url, string(h)); ok && pathOf(path) {
		return path
	}
	return url
}

func pathOf(s string) bool { return s == "" || strings.IndexByte("/?#", s[0]) >= 0 }

// A band is the URLs of one priority that were never leased.
type band struct {
	priority uint8
	urls     fifo
}

// A host is what a Memory knows of one host. It is kept for good: without
// URLs that wait it is its record and nothing else, and in no heap.
type host struct {
	name    Host
	counts  Counts
	delay   time.Duration
	limit   int     // most in flight
	clock   instant // what finished requests have asked for
	blocked instant
	robots  *Robots

	fresh   []band        // by priority
	back    heap[*entry]  // came back, and are ready
	flights []*lease      // leases and holds
	holds   []*holdWaiter // first come, first served

	in    *heap[*host] // nil: in none
	index int          // in that heap
	since instant      // when it came into a heap, from none
	turn  uint64       // number of that event: those due at the same time take turns
	key   instant      // by which it is there
}

func (h *host) before(g *host) bool {
	return cmp.Or(cmp.Compare(h.key, g.key), cmp.Compare(h.turn, g.turn)) < 0
}

func (h *host) placed(i int) { h.index = i }

// due is when the clock of h allows the next request (ROB-POL-02). Starts are
// not written to the clock until the request is known to have been made.
func (h *host) due() instant {
	due := max(h.clock, h.blocked)
	if h.limit > 1 {
		for _, l := range h.flights {
			due = max(due, later(l.start, h.delay))
		}
	}
	return due
}

// requested sets the clock for a request that l was for and that ended at end.
func (h *host) requested(l *lease, end instant, delay time.Duration) {
	if h.limit > 1 {
		end = l.start
	}
	h.clock = max(h.clock, later(end, max(delay, h.delay)))
}

// push appends a URL that was never leased.
func (h *host) push(priority uint8, path string, meta []byte) {
	i, ok := slices.BinarySearchFunc(h.fresh, priority, func(b band, p uint8) int {
		return cmp.Compare(b.priority, p)
	})
	if !ok {
		h.fresh = slices.Insert(h.fresh, i, band{priority: priority})
	}
	h.fresh[i].urls.push(path, meta)
}

// pop takes the URL whose turn it is. One of those pending must be there.
func (h *host) pop() *entry {
	if e, ok := h.back.top(); ok && (len(h.fresh) == 0 || e.priority <= h.fresh[0].priority) {
		return h.back.remove(0)
	}
	b := &h.fresh[0]
	e := &entry{host: h, priority: b.priority}
	e.path, e.meta = b.urls.pop()
	if b.urls.empty() {
		h.fresh = slices.Delete(h.fresh, 0, 1)
	}
	if len(h.fresh) == 0 {
		h.fresh = nil
	}
	return e
}

// later returns t + d, which may be more than an instant can say.
func later(t instant, d time.Duration) instant {
	if d > latest-t {
		return latest
	}
	return t + d
}
