package robotsext

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// table holds a slot for each origin in memory, bounded by their number and by
// the bytes of their records. The slot is also what concurrent askers wait on,
// so that at most one fetch is in flight for an origin (ROB-FET-03). What is
// used least recently goes first; a slot that is waited on stays.
type table struct {
	maxSlots int
	maxBytes int64

	mu      sync.Mutex // guards all below, and the fields of every slot and traffic
	slots   map[Origin]*slot
	servers map[string]*traffic // of slots that have had any, by their server
	ring    slot                // next is the slot used last, prev the one used least recently
	bytes   int64
	evicted bool // something was forgotten: what is unknown may have been known
}

type slot struct {
	origin     Origin
	rec        *Record   // newest, also when it is due; nil: unknown
	flight     *flight   // not nil while somebody finds out
	heard      time.Time // last answer to a page request that shows the site alive
	traffic    *traffic  // with the server of origin; nil: none so far
	prev, next *slot
}

// flight is one attempt to find out. rec is set before done is closed.
type flight struct {
	done chan struct{}
	rec  *Record
}

// What zero means in Options.Cache.MaxRecords and Options.Cache.MaxBytes.
const (
	defaultMaxRecords = 100_000
	defaultMaxBytes   = 512 << 20
)

func newTable(maxSlots int, maxBytes int64) *table {
	t := &table{maxSlots: maxSlots, maxBytes: maxBytes, slots: make(map[Origin]*slot), servers: make(map[string]*traffic)}
	t.ring.prev, t.ring.next = &t.ring, &t.ring
	return t
}

// touch returns the slot of o, made if there is none, as the most recently used.
// The caller holds mu.
func (t *table) touch(o Origin) *slot {
	s := t.slots[o]
	if s == nil {
		s = &slot{origin: o}
		t.slots[o] = s
	} else {
		s.prev.next, s.next.prev = s.next, s.prev
	}
	s.prev, s.next = &t.ring, t.ring.next
	s.prev.next, s.next.prev = s, s
	return s
}

// traffic returns the traffic with the server of o. The caller holds mu.
func (t *table) traffic(o Origin) *traffic {
	s := t.touch(o)
	if s.traffic == nil {
		name := o.server()
		if t.servers[name] == nil {
			t.servers[name] = &traffic{}
		}
		s.traffic = t.servers[name]
		s.traffic.slots++
	}
	return s.traffic
}

// drop forgets s. The caller holds mu.
func (t *table) drop(s *slot) {
	s.prev.next, s.next.prev = s.next, s.prev
	delete(t.slots, s.origin)
	if s.traffic == nil {
		return
	}
	if s.traffic.slots--; s.traffic.slots == 0 {
		delete(t.servers, s.origin.server())
	}
}

// set puts rec into s and makes room. The caller holds mu.
func (t *table) set(s *slot, rec *Record) {
	t.bytes += rec.size() - s.rec.size()
	s.rec = rec
	for old := t.ring.prev; old != &t.ring && (len(t.slots) > t.maxSlots || t.bytes > t.maxBytes); old = old.prev {
		if old.flight != nil || old.traffic != nil && old.traffic.waiting > 0 || old == s {
			continue
		}
		t.evicted = t.evicted || old.rec != nil
		t.bytes -= old.rec.size()
		t.drop(old)
	}
}

// What a record costs in memory besides its text and what that was parsed to:
// itself and its slot, and the head of a string or of an error.
// BenchmarkRecordMemory measures it.
const (
	recordBytes = 1 << 10
	stringBytes = 16
	errorBytes  = 128
)

// size estimates the memory that a record keeps.
func (rec *Record) size() int64 {
	if rec == nil {
		return 0
	}
	n := recordBytes + parsedSize(rec.Body, rec.File)
	if rec.Copy != nil && rec.Copy.File != rec.File {
		n += parsedSize(rec.Copy.Body, rec.Copy.File)
	}
	for _, u := range rec.Chain {
		n += stringBytes + len(u)
	}
	if rec.Err != nil {
		n += errorBytes + 2*len(rec.Err.Error()) // those it wraps say much of it again
	}
	return int64(n)
}

// parsedSize is what a text takes with the file it was parsed to.
func parsedSize(body []byte, file *robotstxt.File) int {
	if file == nil {
		return len(body)
	}
	return len(body) + file.Size()
}

// maxKept is how many bytes of a URL or of an error are kept in a record: a site
// may name targets of redirects as long as a header can be.
const maxKept = 2 << 10

// clip is s as it is kept.
func clip(s string) string {
	if len(s) <= maxKept {
		return s
	}
	return strings.ToValidUTF8(s[:maxKept], "") + "…"
}

// clipError is err as it is kept. One that is too long loses what it wraps.
func clipError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > maxKept {
		return errors.New(clip(text))
	}
	return err
}

// clipChain is urls, which are not used any more, as they are kept.
func clipChain(urls []string) []string {
	for i, u := range urls {
		urls[i] = clip(u)
	}
	return urls
}

// MemoryCache is a Cache for several Robots of one process, such as crawlers of
// different names: what one of them has fetched serves them all (ROB-CAC-11).
// One Robots has no use for it, since it has the same in itself.
type MemoryCache struct{ table *table }

// NewMemoryCache holds up to maxRecords records and about maxBytes bytes. Zero
// means what it means in Options.
func NewMemoryCache(maxRecords int, maxBytes int64) *MemoryCache {
	return &MemoryCache{newTable(or(maxRecords, defaultMaxRecords), or(maxBytes, defaultMaxBytes))}
}

var errForgotten = errors.New("robotsext: record may have been evicted from memory")

// Load returns the record of o. After the first eviction it can no longer tell
// what it never had from what it had to forget.
func (c *MemoryCache) Load(_ context.Context, o Origin) (*Record, error) {
	t := c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.slots[o] != nil:
		return t.touch(o).rec, nil
	case t.evicted:
		return nil, errForgotten
	}
	return nil, nil
}

// Store keeps rec.
func (c *MemoryCache) Store(_ context.Context, rec *Record) error {
	t := c.table
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(t.touch(rec.Origin), rec)
	return nil
}
