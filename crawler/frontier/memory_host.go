package frontier

import (
	"cmp"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// An entry is a URL that is scheduled or was leased before. Other pending URLs are bytes in a fifo.
type entry struct {
	host       *host
	path       string
	meta       []byte
	validators *Validators
	ready      schedule.Instant // 0 means now
	seq        uint64           // order of discovery
	hash       uint64           // of the URL, set by the first lease
	attempts   int              // counted leases
	priority   uint8
}

// Before orders scheduled entries by time, and pending ones (with time 0) by priority and
// discovery.
func (e *entry) Before(f *entry) bool {
	return cmp.Or(
		cmp.Compare(e.ready, f.ready),
		cmp.Compare(e.priority, f.priority),
		cmp.Compare(e.seq, f.seq)) < 0
}

// Placed is for package heap.
func (e *entry) Placed(int) {}

// A band has the URLs of one priority that were never leased.
type band struct {
	priority uint8
	urls     fifo
}

// A host is the state of a host. It is never deleted, but small without waiting URLs.
type host struct {
	schedule.Host[*host, *entry]

	name   Host
	counts Counts
	robots map[string]Robots // by origin

	fresh   []band            // never leased, by priority
	retried heap.Heap[*entry] // other pending URLs
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

// pop removes and returns the next pending URL. There must be one.
func (h *host) pop() *entry {
	if e, ok := h.retried.Top(); ok && (len(h.fresh) == 0 || e.priority <= h.fresh[0].priority) {
		return h.retried.Remove(0)
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
