package lookup

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/record"
)

// memory holds a slot for each origin, of one Lookup or as a Cache of several. It limits the number of slots and the bytes of
// their records. Concurrent callers wait for the lookup of a slot, so that at most one
// fetch of an origin is in flight (ROB-FET-03). The least recently used slots are evicted
// first, but no slot that a caller waits for.
type memory struct {
	maxSlots int
	maxBytes int64

	mu      sync.Mutex // guards the rest, and the fields of every slot and traffic
	slots   map[record.Origin]*slot
	servers map[string]*traffic // by server; only those with requests
	order   list.List           // of *slot, the most recently used first
	bytes   int64
	evicted bool // a record was evicted, so an unknown origin may have had one
}

type slot struct {
	origin    record.Origin
	rec       *record.Record // the newest, even if it has expired; nil if none
	attempt   *attempt       // nil if none is in flight
	responded time.Time      // last page response other than 429 and 5xx
	traffic   *traffic       // of the server of origin; nil before the first request
	place     *list.Element  // in order
}

// attempt is one attempt to find the record of an origin. It sets rec and panicked before it
// closes done.
type attempt struct {
	done     chan struct{}
	rec      *record.Record
	panicked any // what the lookup panicked with; nil if it did not
	callers  int // waiting callers; the memory's mu guards it
}

// Defaults of Options.Cache.MaxRecords and Options.Cache.MaxBytes.
const (
	defaultMaxRecords = 100_000
	defaultMaxBytes   = 512 << 20
)

// newMemory returns an empty memory. Zero limits mean the defaults.
func newMemory(maxSlots int, maxBytes int64) *memory {
	return &memory{
		maxSlots: cmp.Or(maxSlots, defaultMaxRecords), maxBytes: cmp.Or(maxBytes, defaultMaxBytes),
		slots: make(map[record.Origin]*slot), servers: make(map[string]*traffic),
	}
}

// touch returns the slot of o, creates it if necessary, and marks it as most recently
// used. The caller holds mu.
func (m *memory) touch(o record.Origin) *slot {
	s := m.slots[o]
	if s == nil {
		s = &slot{origin: o}
		s.place = m.order.PushFront(s)
		m.slots[o] = s
	}
	m.order.MoveToFront(s.place)
	return s
}

// traffic returns the traffic of the server of o. The caller holds mu.
func (m *memory) traffic(o record.Origin) *traffic {
	s := m.touch(o)
	if s.traffic == nil {
		name := serverOf(o)
		if m.servers[name] == nil {
			m.servers[name] = &traffic{}
		}
		s.traffic = m.servers[name]
		s.traffic.slots++
	}
	return s.traffic
}

// noteResponse records that the site of o was available at now.
func (m *memory) noteResponse(o record.Origin, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.slots[o]; s != nil {
		s.responded = now
	}
}

// lastResponse returns the last time of noteResponse for o, or zero if never.
func (m *memory) lastResponse(o record.Origin) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.slots[o]; s != nil {
		return s.responded
	}
	return time.Time{}
}

// drop removes s. The caller holds mu.
func (m *memory) drop(s *slot) {
	m.order.Remove(s.place)
	delete(m.slots, s.origin)
	if s.traffic == nil {
		return
	}
	if s.traffic.slots--; s.traffic.slots == 0 {
		delete(m.servers, serverOf(s.origin))
	}
}

// set stores rec in s and evicts others if necessary. The caller holds mu.
func (m *memory) set(s *slot, rec *record.Record) {
	m.bytes += size(rec) - size(s.rec)
	s.rec = rec
	for e := m.order.Back(); e != nil && (len(m.slots) > m.maxSlots || m.bytes > m.maxBytes); {
		old := e.Value.(*slot)
		e = e.Prev()
		if old.attempt != nil || old.traffic != nil && old.traffic.waiting > 0 || old == s {
			continue
		}
		m.evicted = m.evicted || old.rec != nil
		m.bytes -= size(old.rec)
		m.drop(old)
	}
}

// Memory of a record apart from its body and the parsed body: the record with its slot,
// the header of a string, an error. BenchmarkRecordMemory measures it.
const (
	recordBytes = 1 << 10
	stringBytes = 16
	errorBytes  = 128
)

// size estimates the memory of a record in bytes.
func size(rec *record.Record) int64 {
	if rec == nil {
		return 0
	}
	n := recordBytes + bodySize(rec)
	if c := rec.Copy; c != nil && (c.File != rec.File || c.Hash != rec.Hash) { // they share what is in use
		n += bodySize(c)
	}
	for _, u := range rec.RedirectChain {
		n += stringBytes + len(u)
	}
	if rec.Err != nil {
		n += errorBytes + 2*len(rec.Err.Error()) // wrapped errors repeat parts of the text
	}
	return int64(n)
}

// bodySize returns the memory of a body and of what was parsed from it.
func bodySize(rec *record.Record) int {
	n := len(rec.Body) + rec.TDMRep.Size()
	if rec.File != nil {
		n += rec.File.Size()
	}
	return n
}

// MaxTextBytes limits a URL or the text of an error in a record. A redirect may have a
// target as long as a header can be.
const MaxTextBytes = 2 << 10

// clipError shortens the text of err to MaxTextBytes. A shortened error wraps none.
func clipError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > MaxTextBytes {
		return errors.New(clip.Text(text, MaxTextBytes))
	}
	return err
}

// clipChain shortens urls in place.
func clipChain(urls []string) []string {
	for i, u := range urls {
		urls[i] = clip.Text(u, MaxTextBytes)
	}
	return urls
}

// NewMemoryCache implements robotsext.NewMemoryCache.
func NewMemoryCache(maxRecords int, maxBytes int64) record.Cache {
	return newMemory(maxRecords, maxBytes)
}

var errEvicted = errors.New("record may have been evicted from memory")

// Load returns the record of o. After the first eviction it fails for unknown origins,
// since their records may have been evicted.
func (m *memory) Load(_ context.Context, o record.Origin) (*record.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.slots[o] != nil:
		return m.touch(o).rec, nil
	case m.evicted:
		return nil, errEvicted
	}
	return nil, nil
}

// Store keeps rec.
func (m *memory) Store(_ context.Context, rec *record.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(m.touch(rec.Origin), rec)
	return nil
}
