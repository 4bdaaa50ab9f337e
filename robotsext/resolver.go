package robotsext

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Cache keeps records beyond the memory of one Robots: on disk (NewFileCache),
// for several Robots of a process (NewMemoryCache), in a crawler's frontier, or
// between processes. Methods are called by several goroutines at a time, though
// never twice at once for one origin by the same Robots. Everybody who waits for
// the record waits for the Cache too, no Options.Fetch.Timeout bounds it, and its ctx
// does not end: a Cache that may hang has to know its own end.
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
	// Store replaces what is kept for rec.Origin. If it fails, what was kept
	// before must not be given out as good any more: it may allow what rec
	// disallows. Robots sees to that as long as it lives, and a Cache that
	// outlives it should see to it too. Apart from that an error costs a fetch.
	Store(ctx context.Context, rec *Record) error
}

// unstored is the set of origins whose latest record the Cache does not have,
// because Store failed. It is bounded like the table: beyond that, no origin is
// known to be stored.
type unstored struct {
	most int

	mu      sync.Mutex // guards the rest
	origins map[Origin]struct{}
	all     bool
}

// note keeps in mind how the last Store for o ended.
func (u *unstored) note(o Origin, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !failed:
		delete(u.origins, o)
	case len(u.origins) >= u.most:
		u.all = true
	default:
		if u.origins == nil {
			u.origins = make(map[Origin]struct{})
		}
		u.origins[o] = struct{}{}
	}
}

// has reports whether what the Cache holds for o may have been outlived.
func (u *unstored) has(o Origin) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, failed := u.origins[o]
	return failed || u.all
}

// record returns what is known of o, and finds out when that is nothing or too
// old. An asker whose ctx ends leaves; the flight goes on for the others. One
// whose ctx has ended before starts nothing.
func (r *Robots) record(ctx context.Context, o Origin, force bool) (*Record, error) {
	ctx, release := unsealed(ctx)
	defer release()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
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
	kept, lost := s.rec, t.evicted
	t.mu.Unlock()
	var told *Record
	defer func() { // also when a callback ends this goroutine
		if told == nil {
			told = r.notNow(s.origin, kept, lost, errEnded)
		}
		t.mu.Lock()
		f.rec, s.flight = told, nil
		t.set(s, kept)
		t.mu.Unlock()
		close(f.done)
	}()
	if r.cache != nil {
		// Somebody else who uses the Cache may know more by now.
		stored, forgotten := r.load(ctx, s.origin)
		if kept == nil {
			kept, lost = stored, forgotten
		} else if stored != nil && stored.FetchedAt.After(kept.FetchedAt) {
			kept = stored
		}
	}
	now := r.now()
	switch held := r.retryAfter(s.origin) > 0; {
	case kept != nil && !kept.due(now) && (!force || held):
		told = kept
		return
	case held:
		told = r.notNow(s.origin, kept, lost, errRetryAfter)
		return
	}
	a := r.ask(ctx, s.origin)
	now = r.now()
	switch {
	case a.outcome == Unreachable && kept.fresh(now):
		r.log.DebugContext(ctx, "robots.txt not refreshed", "host", s.origin, "error", a.err)
		if !a.unsent {
			kept = kept.refreshFailed(RetryAfter(a.header, now), now)
			r.note(kept)
		}
		told = kept
	case a.unsent:
		// It says nothing of the site.
		r.log.DebugContext(ctx, "robots.txt not asked for", "host", s.origin, "error", a.err)
		told = r.notNow(s.origin, kept, lost, a.err)
	default:
		prior := kept
		kept = r.settle(prior, lost, a, now)
		r.log.DebugContext(ctx, "robots.txt fetched", "host", s.origin, "outcome", kept.Outcome.String(), "status", kept.Status, "error", kept.Err)
		r.announce(ctx, prior, kept)
		told = kept
	}
}

// ask fetches the robots.txt of o, and finds out what a 5xx means there if it has
// to.
func (r *Robots) ask(ctx context.Context, o Origin) *answer {
	a := r.fetch(ctx, o)
	if r.probe && a.outcome == Unreachable && r.missingAnswersAlike(ctx, a) {
		a.outcome, a.err = AllowAll, nil
	}
	return a
}

// announce makes rec, which follows prior, known to the caller and the Cache: in
// this order, so that what the caller does with a record that the Cache has is
// done, also when the process ends in between.
func (r *Robots) announce(ctx context.Context, prior, rec *Record) {
	r.note(rec)
	if r.cache != nil {
		err := r.cache.Store(ctx, storable(rec))
		r.unstored.note(rec.Origin, err != nil)
		if err != nil {
			r.log.WarnContext(ctx, "robots.txt record not stored", "host", rec.Origin, "error", err)
		}
	}
	if r.onChange != nil && prior != nil && !prior.blank() && !sameMeaning(prior, rec) {
		r.onChange(prior, rec)
	}
}

// note is Options.OnRecord.
func (r *Robots) note(rec *Record) {
	if r.onRecord != nil {
		r.onRecord(rec)
	}
}

// errRetryAfter is why a robots.txt is not fetched yet.
var errRetryAfter = errors.New("robotsext: the site sent Retry-After, and that has not passed")

// errEnded is why those who waited for a fetch have to come again that one of the
// caller's functions did not return from, by runtime.Goexit or a panic.
var errEnded = errors.New("robotsext: a function in Options ended the fetch")

// notNow is what those who wait are told when nothing was learnt, for a reason
// that lies with us. It is not kept: whoever asks next may have better luck.
func (r *Robots) notNow(o Origin, prior *Record, lost bool, err error) *Record {
	now := r.now()
	rec := &Record{
		Origin: o, Outcome: Unreachable, Err: clipError(err),
		FetchedAt: now, ExpiresAt: now, RetryAt: now.Add(cmp.Or(r.retryAfter(o), min(r.retryMin, time.Minute))),
	}
	rec.Copy, rec.CopyLost = prior.lastGood()
	rec.CopyLost = rec.CopyLost || prior == nil && lost
	return rec
}

// load asks the Cache. What it cannot tell counts as lost.
func (r *Robots) load(ctx context.Context, o Origin) (rec *Record, lost bool) {
	if r.unstored.has(o) {
		return nil, true
	}
	rec, err := r.cache.Load(ctx, o)
	switch {
	case err != nil:
		r.log.WarnContext(ctx, "robots.txt record not read", "host", o, "error", err)
		return nil, true
	case rec == nil:
		return nil, false
	}
	rec, err = r.trust(rec, o)
	if err != nil {
		r.log.WarnContext(ctx, "robots.txt record not believed", "host", o, "error", err)
		return nil, true
	}
	return rec, false
}

// heardOf notes that a page request to o got an answer that shows the site alive
// (ROB-STA-10).
func (r *Robots) heardOf(o Origin, resp *http.Response) {
	if resp.StatusCode >= 500 || resp.StatusCode == 429 {
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
