package robotsext

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// memory holds a slot for each origin, bounded by their number and by the bytes of
// their records. Concurrent callers wait on the slot, so that at most one fetch is
// in flight for an origin (ROB-FET-03). The least recently used slot goes first; a
// slot that somebody waits on stays.
type memory struct {
	maxSlots int
	maxBytes int64

	mu      sync.Mutex // guards all below, and the fields of every slot and traffic
	slots   map[Origin]*slot
	servers map[string]*traffic // of slots that have had any, by their server
	order   list.List           // of *slot, the one used last in front
	bytes   int64
	evicted bool // something was forgotten: what is unknown may have been known
}

type slot struct {
	origin    Origin
	rec       *Record       // newest, also when it is due; nil: unknown
	lookup    *lookup       // not nil while one is in flight
	responded time.Time     // last response to a page request that shows the site alive
	traffic   *traffic      // with the server of origin; nil: none so far
	place     *list.Element // in order
}

// lookup is one attempt to learn the record of an origin. rec is set before done is
// closed.
type lookup struct {
	done chan struct{}
	rec  *Record
}

// What zero means in Options.Cache.MaxRecords and Options.Cache.MaxBytes.
const (
	defaultMaxRecords = 100_000
	defaultMaxBytes   = 512 << 20
)

func newMemory(maxSlots int, maxBytes int64) *memory {
	return &memory{maxSlots: maxSlots, maxBytes: maxBytes, slots: make(map[Origin]*slot), servers: make(map[string]*traffic)}
}

// touch returns the slot of o, made if there is none, as the most recently used.
// The caller holds mu.
func (m *memory) touch(o Origin) *slot {
	s := m.slots[o]
	if s == nil {
		s = &slot{origin: o}
		s.place = m.order.PushFront(s)
		m.slots[o] = s
	}
	m.order.MoveToFront(s.place)
	return s
}

// traffic returns the traffic with the server of o. The caller holds mu.
func (m *memory) traffic(o Origin) *traffic {
	s := m.touch(o)
	if s.traffic == nil {
		name := o.server()
		if m.servers[name] == nil {
			m.servers[name] = &traffic{}
		}
		s.traffic = m.servers[name]
		s.traffic.slots++
	}
	return s.traffic
}

// noteResponse remembers that the site of o was alive at now.
func (m *memory) noteResponse(o Origin, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.slots[o]; s != nil {
		s.responded = now
	}
}

// lastResponse returns when the site of o was last seen alive; zero: never.
func (m *memory) lastResponse(o Origin) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.slots[o]; s != nil {
		return s.responded
	}
	return time.Time{}
}

// drop forgets s. The caller holds mu.
func (m *memory) drop(s *slot) {
	m.order.Remove(s.place)
	delete(m.slots, s.origin)
	if s.traffic == nil {
		return
	}
	if s.traffic.slots--; s.traffic.slots == 0 {
		delete(m.servers, s.origin.server())
	}
}

// set puts rec into s and makes room. The caller holds mu.
func (m *memory) set(s *slot, rec *Record) {
	m.bytes += rec.size() - s.rec.size()
	s.rec = rec
	for e := m.order.Back(); e != nil && (len(m.slots) > m.maxSlots || m.bytes > m.maxBytes); {
		old := e.Value.(*slot)
		e = e.Prev()
		if old.lookup != nil || old.traffic != nil && old.traffic.waiting > 0 || old == s {
			continue
		}
		m.evicted = m.evicted || old.rec != nil
		m.bytes -= old.rec.size()
		m.drop(old)
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
	for _, u := range rec.RedirectChain {
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

// clipError is err as it is kept. One that is too long loses what it wraps.
func clipError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > maxKept {
		return errors.New(clip.Text(text, maxKept))
	}
	return err
}

// clipChain is urls, which are not used any more, as they are kept.
func clipChain(urls []string) []string {
	for i, u := range urls {
		urls[i] = clip.Text(u, maxKept)
	}
	return urls
}

// memoryCache is a memory that several Robots share.
type memoryCache struct{ memory *memory }

// NewMemoryCache returns a Cache that several Robots share.
func NewMemoryCache(maxRecords int, maxBytes int64) Cache {
	return &memoryCache{newMemory(or(maxRecords, defaultMaxRecords), or(maxBytes, defaultMaxBytes))}
}

var errForgotten = errors.New("record may have been evicted from memory")

// Load returns the record of o. After the first eviction it can no longer tell
// what it never had from what it had to forget.
func (c *memoryCache) Load(_ context.Context, o Origin) (*Record, error) {
	m := c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.slots[o] != nil:
		return m.touch(o).rec, nil
	case m.evicted:
		return nil, errForgotten
	}
	return nil, nil
}

// Store keeps rec.
func (c *memoryCache) Store(_ context.Context, rec *Record) error {
	m := c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(m.touch(rec.Origin), rec)
	return nil
}
