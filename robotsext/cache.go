package robotsext

import (
	"context"
	"sync"
	"time"
)

// Cache keeps records beyond the memory of one Robots: on disk (NewFileCache),
// in a crawler's frontier, or between processes. Methods are called by several
// goroutines at a time, though never twice at once for one origin by the same
// Robots.
//
// A Cache must not turn a disallow into an allow (ROB-CAC-17). So Load returns a
// nil record without an error only if nothing was ever stored for the origin; a
// record that cannot be read, or may have been thrown away, is an error, and
// counts as a copy that is lost.
//
// A Cache that serialises records does so by Record.MarshalJSON and
// Record.UnmarshalJSON; the File of a loaded record may be nil, it is parsed
// from Body when it is needed.
type Cache interface {
	Load(ctx context.Context, o Origin) (*Record, error)
	// Store replaces what is kept for rec.Origin. An error is logged, and costs
	// no more than a fetch.
	Store(ctx context.Context, rec *Record) error
}

// table holds a slot for each origin in memory, bounded by their number and by
// the bytes of their records. The slot is also what concurrent askers wait on,
// so that at most one fetch is in flight for an origin (ROB-FET-03). What is
// used least recently goes first; a slot that is waited on stays.
type table struct {
	maxSlots int
	maxBytes int64

	mu      sync.Mutex // guards all below, and the fields of every slot
	slots   map[Origin]*slot
	ring    slot // next is the slot used last, prev the one used least recently
	bytes   int64
	evicted bool // something was forgotten: what is unknown may have been known
}

type slot struct {
	origin     Origin
	rec        *Record   // newest, also when it is due; nil: unknown
	flight     *flight   // not nil while somebody finds out
	heard      time.Time // last answer to a page request that shows the site alive
	prev, next *slot
}

// flight is one attempt to find out. rec is set before done is closed.
type flight struct {
	done chan struct{}
	rec  *Record
}

func newTable(maxSlots int, maxBytes int64) *table {
	t := &table{maxSlots: maxSlots, maxBytes: maxBytes, slots: make(map[Origin]*slot)}
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

// set puts rec into s and makes room. The caller holds mu.
func (t *table) set(s *slot, rec *Record) {
	t.bytes += rec.size() - s.rec.size()
	s.rec = rec
	for old := t.ring.prev; old != &t.ring && (len(t.slots) > t.maxSlots || t.bytes > t.maxBytes); old = old.prev {
		if old.flight != nil || old == s {
			continue
		}
		t.evicted = t.evicted || old.rec != nil
		t.bytes -= old.rec.size()
		old.prev.next, old.next.prev = old.next, old.prev
		delete(t.slots, old.origin)
	}
}

// slotBytes is what a slot costs besides its text, and textFactor what a byte of
// text costs, body and parsed file together. BenchmarkRecordMemory measures
// both.
const (
	slotBytes  = 2 << 10
	textFactor = 4
)

// size estimates the memory that a record keeps.
func (rec *Record) size() int64 {
	if rec == nil {
		return 0
	}
	text := len(rec.Body)
	if rec.Copy != nil && rec.Copy.File != rec.File {
		text += len(rec.Copy.Body)
	}
	return slotBytes + textFactor*int64(text)
}

// record returns what is known of o, and finds out when that is nothing or too
// old. An asker whose ctx ends leaves; the flight goes on for the others.
func (r *Robots) record(ctx context.Context, o Origin, force bool) (*Record, error) {
	t := r.table
	t.mu.Lock()
	s := t.touch(o)
	f := s.flight
	if f == nil {
		if s.rec != nil && !force && !s.rec.due(r.now()) {
			rec := s.rec
			t.mu.Unlock()
			return rec, nil
		}
		f = &flight{done: make(chan struct{})}
		s.flight = f
		go r.fly(context.WithoutCancel(ctx), s, f, force)
	}
	t.mu.Unlock()
	select {
	case <-f.done:
		return f.rec, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fly finds out what is to be known of s.origin, first from the Cache, then from
// the site, and lets everybody who waits on f have it. It alone changes s.rec
// while f is in flight.
func (r *Robots) fly(ctx context.Context, s *slot, f *flight, force bool) {
	t := r.table
	t.mu.Lock()
	prior, lost := s.rec, t.evicted
	t.mu.Unlock()
	if prior == nil && r.cache != nil {
		prior, lost = r.load(ctx, s.origin)
	}
	rec := prior
	if prior == nil || force || prior.due(r.now()) {
		rec = r.renew(ctx, s.origin, prior, lost)
	}
	t.mu.Lock()
	f.rec, s.flight = rec, nil
	t.set(s, rec)
	t.mu.Unlock()
	close(f.done)
}

// renew fetches the robots.txt of o and makes known what came of it.
func (r *Robots) renew(ctx context.Context, o Origin, prior *Record, lost bool) *Record {
	a := r.fetch(ctx, o)
	if r.probe && a.outcome == Unreachable && r.missingAnswersAlike(ctx, a) {
		a.outcome, a.err = AllowAll, nil
	}
	now := r.now()
	if a.outcome == Unreachable && prior != nil && prior.FailingSince.IsZero() && !prior.due(now) {
		// A failed refresh of a copy that is still fresh changes nothing
		// (ROB-STA-06).
		r.log.DebugContext(ctx, "robots.txt not refreshed", "origin", o, "error", a.err)
		return prior
	}
	rec := r.settle(prior, lost, a, now)
	r.log.DebugContext(ctx, "robots.txt fetched", "origin", o, "outcome", rec.Outcome, "status", rec.Status, "error", rec.Err)
	if r.cache != nil {
		if err := r.cache.Store(ctx, storable(rec)); err != nil {
			r.storeFailed.Store(true)
			r.log.WarnContext(ctx, "robots.txt record not stored", "origin", o, "error", err)
		}
	}
	if r.onRecord != nil {
		r.onRecord(rec)
	}
	if r.onChange != nil && prior != nil && !sameMeaning(prior, rec) {
		r.onChange(prior, rec)
	}
	return rec
}

// load asks the Cache. What it cannot tell counts as lost.
func (r *Robots) load(ctx context.Context, o Origin) (rec *Record, lost bool) {
	rec, err := r.cache.Load(ctx, o)
	switch {
	case err != nil:
		r.log.WarnContext(ctx, "robots.txt record not read", "origin", o, "error", err)
		return nil, true
	case rec == nil:
		return nil, r.storeFailed.Load()
	case rec.Origin != o:
		r.log.WarnContext(ctx, "robots.txt record of another origin", "origin", o, "got", rec.Origin)
		return nil, true
	}
	rec, err = r.trust(rec)
	if err != nil {
		r.log.WarnContext(ctx, "robots.txt record not believed", "origin", o, "error", err)
		return nil, true
	}
	return rec, false
}

// heardOf notes that a page request to o got an answer that shows the site alive
// (ROB-STA-10).
func (r *Robots) heardOf(o Origin, status int) {
	if status >= 500 || status == 429 {
		return
	}
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	if s := r.table.slots[o]; s != nil {
		s.heard = r.now()
	}
}

// available reports whether o is otherwise available, long into an outage of its
// robots.txt.
func (r *Robots) available(o Origin, now time.Time) bool {
	if r.isAvailable != nil {
		return r.isAvailable(o)
	}
	r.table.mu.Lock()
	defer r.table.mu.Unlock()
	s := r.table.slots[o]
	return s != nil && !s.heard.IsZero() && now.Sub(s.heard) <= 24*time.Hour
}
